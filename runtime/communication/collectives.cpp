//===- collectives.cpp ----------------------------------------------------===//
#include "runtime/communication/collectives.h"

#include <cstring>

namespace partyline::runtime {

std::vector<char> gather(Communicator &communicator, const void *data, size_t bytes) {
  std::vector<char> all;
  if (communicator.rank() != 0) {
    communicator.send(0, Tag::gather, data, bytes);
    return all;
  }
  all.resize(bytes * size_t(communicator.size()));
  if (bytes > 0)
    std::memcpy(all.data(), data, bytes);
  for (int rank = 1; rank < communicator.size(); ++rank)
    communicator.receive(rank, Tag::gather, all.data() + bytes * size_t(rank), bytes);
  return all;
}

std::vector<std::string> gatherStrings(Communicator &communicator, const std::string &text) {
  const uint64_t ownLength = text.size();
  std::vector<char> lengths = gather(communicator, &ownLength, sizeof ownLength);
  std::vector<std::string> all;
  if (communicator.rank() != 0) {
    communicator.send(0, Tag::gather, text.data(), text.size());
    return all;
  }
  all.push_back(text);
  for (int rank = 1; rank < communicator.size(); ++rank) {
    uint64_t length;
    std::memcpy(&length, lengths.data() + sizeof length * size_t(rank), sizeof length);
    all.emplace_back(size_t(length), '\0');
    communicator.receive(rank, Tag::gather, all.back().data(), all.back().size());
  }
  return all;
}

void broadcast(Communicator &communicator, void *data, size_t bytes) {
  if (communicator.rank() != 0)
    communicator.receive(0, Tag::broadcast, data, bytes);
  else
    for (int rank = 1; rank < communicator.size(); ++rank)
      communicator.send(rank, Tag::broadcast, data, bytes);
}

void broadcastString(Communicator &communicator, std::string &text) {
  uint64_t length = text.size();
  broadcast(communicator, &length, sizeof length);
  text.resize(size_t(length));
  broadcast(communicator, text.data(), text.size());
}

void sumInRankOrder(Communicator &communicator, double *values, int64_t count) {
  const size_t bytes = sizeof(double) * size_t(count);
  const std::vector<char> all = gather(communicator, values, bytes);
  for (int rank = 1; rank < communicator.size() && communicator.rank() == 0; ++rank)
    for (int64_t i = 0; i < count; ++i) {
      double value;
      std::memcpy(&value, all.data() + bytes * size_t(rank) + sizeof(double) * size_t(i), sizeof value);
      values[i] += value;
    }
  broadcast(communicator, values, bytes);
}

} // namespace partyline::runtime
