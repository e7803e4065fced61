//===- thread_communicator.cpp --------------------------------------------===//
#include "runtime/communication/thread_communicator.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <chrono>

namespace partyline::runtime {

class ThreadCommunicator final : public Communicator {
public:
  ThreadCommunicator(ThreadNetwork &network, int rank, int channel)
      : network(network), ownRank(rank), channel(channel) {}

  int rank() const override { return ownRank; }
  int size() const override { return network.ranks; }

  void start(const Exchange &exchange) override {
    current = exchange;
    if (exchange.sendBytes == 0)
      return;
    const char *bytes = static_cast<const char *>(exchange.send);
    {
      std::lock_guard<std::mutex> lock(network.mutex);
      network.mailboxes[{channel, ownRank, exchange.to, exchange.tag}].emplace_back(bytes, bytes + exchange.sendBytes);
    }
    network.arrived.notify_all();
  }

  bool poll() override {
    checkCancelled();
    std::lock_guard<std::mutex> lock(network.mutex);
    return take();
  }

  void finish() override {
    std::unique_lock<std::mutex> lock(network.mutex);
    const std::chrono::duration<double> limit(network.timeLimit);
    const bool done = network.arrived.wait_for(lock, limit, [this] { return isCancelled() || take(); });
    checkCancelled();
    if (!done)
      throw runError("waited " + std::to_string(int(network.timeLimit)) + " s for " + describe(current.from));
  }

protected:
  void wake() override {
    // Under the lock: not between a waiting thread's test and its sleep.
    std::lock_guard<std::mutex> lock(network.mutex);
    network.arrived.notify_all();
  }

private:
  /// Takes the message out of the mailbox if it is there. Called with the lock held.
  bool take() {
    if (current.receiveBytes == 0)
      return true;
    auto &mailbox = network.mailboxes[{channel, current.from, ownRank, current.tag}];
    if (mailbox.empty())
      return false;
    if (mailbox.front().size() != current.receiveBytes)
      throw runError("a message from " + describe(current.from) + " has " + std::to_string(mailbox.front().size()) +
                     " bytes in place of " + std::to_string(current.receiveBytes));
    std::copy(mailbox.front().begin(), mailbox.front().end(), static_cast<char *>(current.receive));
    mailbox.pop_front();
    current.receiveBytes = 0;
    return true;
  }

  ThreadNetwork &network;
  const int ownRank, channel;
  Exchange current;
};

std::unique_ptr<Communicator> ThreadNetwork::communicator(int rank, int channel) {
  return std::make_unique<ThreadCommunicator>(*this, rank, channel);
}

} // namespace partyline::runtime
