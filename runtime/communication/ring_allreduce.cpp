//===- ring_allreduce.cpp -------------------------------------------------===//
#include "runtime/communication/ring_allreduce.h"

#include "runtime/shared/footprint.h"

#include <algorithm>

namespace partyline::runtime {

static constexpr int64_t kPieceElements = kRingPieceBytes / int64_t(sizeof(float));

/// What one message pair moves: elements [send, send + sendCount) go right, [receive, ...) come from the left.
struct RingAllreduce::Piece {
  int64_t send, sendCount;
  int64_t receive, receiveCount;

  /// Whether it sends sums that are made of what `previous` receives.
  bool needs(const Piece &previous) const {
    return send < previous.receive + previous.receiveCount && previous.receive < send + sendCount;
  }
};

RingAllreduce::RingAllreduce(Communicator &communicator, int64_t largestCount)
    : communicator(communicator), scratch(size_t(ringScratchBytes(largestCount, communicator.size())) / sizeof(float)) {
}

namespace {
/// A chunk's place. The last chunks of a short array may be shorter or empty.
struct Chunk {
  int64_t first, count;
};
} // namespace

static Chunk chunkOf(int64_t index, int64_t count, int64_t ranks) {
  const int64_t size = ringChunkElements(count, ranks);
  const int64_t first = std::min(index * size, count);
  return {first, std::min(first + size, count) - first};
}

void RingAllreduce::sum(float *values, int64_t count) {
  const int64_t ranks = communicator.size(), rank = communicator.rank();
  if (ranks == 1 || count == 0)
    return;
  std::vector<Piece> pieces;
  const auto plan = [&](int64_t firstChunk) {
    pieces.clear();
    for (int64_t step = 0; step < ranks - 1; ++step) {
      const Chunk out = chunkOf((firstChunk - step + ranks) % ranks, count, ranks);
      const Chunk in = chunkOf((firstChunk - step - 1 + ranks) % ranks, count, ranks);
      const int64_t length = std::max(out.count, in.count);
      for (int64_t at = 0; at < length; at += kPieceElements)
        pieces.push_back({out.first + at, std::clamp<int64_t>(out.count - at, 0, kPieceElements), in.first + at,
                          std::clamp<int64_t>(in.count - at, 0, kPieceElements)});
    }
  };
  plan(rank);
  pass(values, pieces, /*add=*/true);
  plan((rank + 1) % ranks);
  pass(values, pieces, /*add=*/false);
}

void RingAllreduce::pass(float *values, const std::vector<Piece> &pieces, bool add) {
  const int ranks = communicator.size(), rank = communicator.rank();
  const auto buffer = [&](size_t i) {
    return add ? scratch.data() + (i % 2) * (scratch.size() / 2) : values + pieces[i].receive;
  };
  const auto begin = [&](size_t i) {
    communicator.start({.tag = Tag::ring,
                        .to = (rank + 1) % ranks,
                        .send = values + pieces[i].send,
                        .sendBytes = size_t(pieces[i].sendCount) * sizeof(float),
                        .from = (rank + ranks - 1) % ranks,
                        .receive = buffer(i),
                        .receiveBytes = size_t(pieces[i].receiveCount) * sizeof(float)});
  };
  begin(0);
  for (size_t i = 0; i < pieces.size(); ++i) {
    communicator.finish();
    const bool last = i + 1 == pieces.size();
    // The next message is on its way while this one is added, unless it carries the sums made now.
    const bool early = !last && !(add && pieces[i + 1].needs(pieces[i]));
    if (early)
      begin(i + 1);
    if (add) {
      float *sums = values + pieces[i].receive;
      const float *received = buffer(i);
      for (int64_t element = 0; element < pieces[i].receiveCount; ++element)
        sums[element] += received[element];
    }
    if (!last && !early)
      begin(i + 1);
  }
}

} // namespace partyline::runtime
