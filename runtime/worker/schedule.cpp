//===- schedule.cpp -------------------------------------------------------===//
#include "runtime/worker/schedule.h"

#include <algorithm>
#include <numeric>

namespace partyline::runtime {

Schedule::Schedule(uint64_t seed, int64_t datasetSize, bool shuffle, Shares shares, int rank)
    : sampler(seed, datasetSize, shuffle), shares(std::move(shares)), rank(rank),
      batch(std::accumulate(this->shares.begin(), this->shares.end(), int64_t(0))) {}

StepSlice Schedule::slice(int64_t epoch, int64_t position) {
  if (epoch != orderedEpoch) {
    sampler.permutation(epoch, order);
    orderedEpoch = epoch;
  }
  const int64_t total = std::min(batch, sampler.size() - position);
  const Shares parts = proportionalShares(shares, total);
  const int64_t first = std::accumulate(parts.begin(), parts.begin() + rank, position);
  return {{order.begin() + position, order.begin() + position + total},
          {order.begin() + first, order.begin() + first + parts[size_t(rank)]}};
}

} // namespace partyline::runtime
