//===- communicator.h - messages between ranks ----------------------------===//
//
// The little that everything else is built on: one exchange at a time, begun, polled, finished. There are an MPI form
// (mpi_communicator.h) and one over threads of a process (thread_communicator.h), which tests use.
//
// A communicator serves one thread at a time. Threads that communicate at the same time have a communicator each;
// their messages do not meet.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace partyline::runtime {

/// What messages are about; a receive takes only messages with its own tag.
enum class Tag { ring = 1, gather, broadcast };

/// A message to one rank and a message from one, at the same time. A size of 0: no such message.
struct Exchange {
  Tag tag = Tag::ring;
  int to = -1;
  const void *send = nullptr;
  size_t sendBytes = 0;
  int from = -1;
  void *receive = nullptr;
  size_t receiveBytes = 0;
};

class Communicator {
public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Begins an exchange; the one before must be finished. The buffers stay in use until then.
  virtual void start(const Exchange &exchange) = 0;
  /// Moves the exchange on; true when it is finished. Throws an Error that names the rank waited for when nothing has
  /// come within the time limit.
  virtual bool poll() = 0;
  /// Waits until it is finished.
  virtual void finish() = 0;

  /// Makes poll() and finish() throw from now on, in whatever thread. Lets a thread be stopped that waits for a rank
  /// which will not answer.
  void cancel();

  void send(int to, Tag tag, const void *data, size_t bytes);
  void receive(int from, Tag tag, void *data, size_t bytes);

  /// "rank 2 (host phone3)", for messages.
  std::string describe(int rank) const;
  /// Empty where it is not known.
  std::string hostName(int rank) const { return size_t(rank) < hostNames.size() ? hostNames[size_t(rank)] : ""; }
  void setHostNames(std::vector<std::string> names) { hostNames = std::move(names); }

  const std::vector<std::string> &allHostNames() const { return hostNames; }

protected:
  bool isCancelled() const { return cancelled; }
  void checkCancelled() const;
  /// Called by cancel(): wakes a thread that sleeps in finish().
  virtual void wake() {}

private:
  std::vector<std::string> hostNames;
  std::atomic<bool> cancelled{false};
};

/// No single message is larger; larger ones are sent in pieces (MPI counts in int).
inline constexpr size_t kLargestMessage = size_t(1) << 30;

} // namespace partyline::runtime
