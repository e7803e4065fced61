//===- thread_communicator.h - ranks that are threads of one process ------===//
#pragma once

#include "runtime/communication/communicator.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

namespace partyline::runtime {

/// Mailboxes that stand for the network. Sends are buffered, so they finish at once.
class ThreadNetwork {
public:
  explicit ThreadNetwork(int ranks, double timeLimitSeconds = 60) : ranks(ranks), timeLimit(timeLimitSeconds) {}

  /// The end of one rank. `channel` keeps apart the communicators of threads of one rank.
  std::unique_ptr<Communicator> communicator(int rank, int channel = 0);

private:
  friend class ThreadCommunicator;
  using Address = std::tuple<int, int, int, Tag>; ///< channel, from, to, tag

  const int ranks;
  const double timeLimit;
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<Address, std::deque<std::vector<char>>> mailboxes;
};

} // namespace partyline::runtime
