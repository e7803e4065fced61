//===- bench.h - how long every kernel of a step takes --------------------===//
#pragma once

#include "runtime/bench/machine_peak.h"
#include "runtime/step/step_loop.h"

#include <functional>
#include <string>
#include <vector>

namespace partyline::runtime {

/// Of one value or more; of an even number the upper one.
double median(std::vector<double> values);

/// One op of the step, or what several have in common.
struct OpTiming {
  std::string name, kernel; ///< of StepOp
  double seconds = 0;       ///< median
  Work work;

  /// The time that the machine's peak would take, over the time taken.
  double shareOf(const MachinePeak &peak) const { return peak.seconds(work) / seconds; }
};

struct BenchResult {
  MachinePeak peak;    ///< medians of what was measured between the rounds
  int64_t samples = 0; ///< of the micro-batch
  int64_t rounds = 0;
  double stepSeconds = 0;    ///< median of whole steps without a clock between the ops
  std::vector<OpTiming> ops; ///< forward and backward, then updates, in the order of the step
};

/// Runs steps of one full micro-batch of random numbers for about `seconds`, three at least. The arena must hold the
/// weights; the learning rate is 0, so it keeps them. `progress` is told the share of the time that is over.
BenchResult bench(StepLoop &steps, const ManifestClass &deviceClass, const Manifest &manifest, Arena &arena,
                  ThreadPool &threads, double seconds, const std::function<void(double)> &progress);

/// Ops with the same kernel as one.
std::vector<OpTiming> byKernel(const std::vector<OpTiming> &ops);

} // namespace partyline::runtime
