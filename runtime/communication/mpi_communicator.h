//===- mpi_communicator.h - ranks of an MPI job ---------------------------===//
#pragma once

#include "runtime/communication/communicator.h"

#include <chrono>
#include <mpi.h>

namespace partyline::runtime {

/// A communicator of its own (a duplicate of MPI_COMM_WORLD), so messages of two of them never meet. All ranks make
/// theirs in the same order.
class MpiCommunicator final : public Communicator {
public:
  /// `timeLimitSeconds`: how long one exchange may go without finishing before the rank waited for counts as lost.
  explicit MpiCommunicator(double timeLimitSeconds);
  ~MpiCommunicator() override;

  int rank() const override { return ownRank; }
  int size() const override { return ranks; }
  void start(const Exchange &exchange) override;
  bool poll() override;
  void finish() override;

  /// Says what went wrong on this rank and ends all ranks.
  [[noreturn]] void abortJob(const std::string &message, int exitCode) const;

private:
  [[noreturn]] void fail(int status, const char *what) const;
  void checkTimeLimit() const;

  using Clock = std::chrono::steady_clock;
  const double timeLimit;
  MPI_Comm communicator = MPI_COMM_NULL;
  int ownRank = 0, ranks = 1;
  Exchange current;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}; ///< of the send, of the receive
  Clock::time_point started;
};

/// Starts MPI and ends it. Throws an Error where MPI lacks threads.
class MpiSession {
public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession &) = delete;
  MpiSession &operator=(const MpiSession &) = delete;
};

} // namespace partyline::runtime
