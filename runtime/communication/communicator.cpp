//===- communicator.cpp ---------------------------------------------------===//
#include "runtime/communication/communicator.h"

#include "runtime/shared/error.h"

#include <algorithm>

namespace partyline::runtime {

void Communicator::cancel() {
  cancelled = true;
  wake();
}

void Communicator::checkCancelled() const {
  if (cancelled)
    throw runError("communication was stopped");
}

void Communicator::send(int to, Tag tag, const void *data, size_t bytes) {
  for (size_t done = 0; done < bytes; done += kLargestMessage) {
    start({.tag = tag,
           .to = to,
           .send = static_cast<const char *>(data) + done,
           .sendBytes = std::min(kLargestMessage, bytes - done)});
    finish();
  }
}

void Communicator::receive(int from, Tag tag, void *data, size_t bytes) {
  for (size_t done = 0; done < bytes; done += kLargestMessage) {
    start({.tag = tag,
           .from = from,
           .receive = static_cast<char *>(data) + done,
           .receiveBytes = std::min(kLargestMessage, bytes - done)});
    finish();
  }
}

std::string Communicator::describe(int rank) const {
  const std::string host = hostName(rank);
  return "rank " + std::to_string(rank) + (host.empty() ? "" : " (host " + host + ")");
}

} // namespace partyline::runtime
