//===- schedule.h - which samples a step takes ----------------------------===//
#pragma once

#include "runtime/data/sampler.h"
#include "runtime/worker/shares.h"

namespace partyline::runtime {

/// Where a run is.
struct Cursor {
  int64_t step = 0;     ///< steps done
  int64_t epoch = 0;    ///< the epoch that goes on
  int64_t position = 0; ///< samples of it already used
};

/// What one step takes: samples from `position` of the epoch's order on, cut into one range per rank.
struct StepSlice {
  std::vector<uint32_t> all;     ///< ranks' samples: the global batch, or what is left of the epoch
  std::vector<uint32_t> samples; ///< this rank's
  int64_t total() const { return int64_t(all.size()); }
};

/// A function of (seed, epoch, shares): p ranks see the samples that one rank would.
class Schedule {
public:
  Schedule(uint64_t seed, int64_t datasetSize, bool shuffle, Shares shares, int rank);

  int64_t globalBatch() const { return batch; }
  int64_t stepsPerEpoch() const { return (sampler.size() + batch - 1) / batch; }
  int64_t datasetSize() const { return sampler.size(); }

  /// The slice of the step that begins at `position` of `epoch`.
  StepSlice slice(int64_t epoch, int64_t position);

private:
  Sampler sampler;
  const Shares shares;
  const int rank;
  int64_t batch;
  int64_t orderedEpoch = -1; ///< the epoch that `order` is of
  std::vector<uint32_t> order;
};

} // namespace partyline::runtime
