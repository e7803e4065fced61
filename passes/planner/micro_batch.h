//===- planner/micro_batch.h - how many samples at a time -----------------===//
//
// Per device class: the micro-batch capacity b and the number of micro-batches per step that minimise time per image
// within the memory limit, and the share of the global batch that every phone takes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/planner/memory.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace partyline::planner {

/// What `auto` takes at most: beyond it time per image is flat on any phone, and planning time is not.
inline constexpr int64_t kDefaultMaxMicroBatch = 256;

struct MicroBatchClass {
  std::string name;                               ///< of the device in the cluster file
  int64_t memoryLimit = 0;                        ///< bytes of one worker
  std::function<MemoryBreakdown(int64_t)> memory; ///< peak(b): all of a worker's memory, planned for capacity b
  std::function<double(int64_t)> seconds;         ///< forward and backward of one micro-batch of so many samples
};

struct MicroBatchProblem {
  std::vector<MicroBatchClass> classes;
  std::vector<int> classOf;                      ///< of every phone, in rank order
  int64_t globalBatch = 0;                       ///< 0: take what fills the phones
  int64_t fixedMicroBatch = 0;                   ///< --micro-batch N; 0: auto
  int64_t maxMicroBatch = kDefaultMaxMicroBatch; ///< of auto
  int64_t batchNormMinimum = 0;                  ///< --batchnorm-batch; 0: the model has no BatchNorm
  double learningRate = 0;                       ///< for the warning about its scaling
};

struct ClassBatch {
  int64_t microBatch = 0;   ///< b
  int64_t accumulation = 0; ///< micro-batches per step of a phone with the largest share
  int64_t samples = 0;      ///< the largest share of its phones
  MemoryBreakdown memory;   ///< peak(b)
  double seconds = 0;       ///< compute of a step of a phone with the largest share
};

struct MicroBatchSolution {
  std::vector<ClassBatch> classes;
  std::vector<int64_t> shares; ///< per phone, in rank order; their sum is the global batch
  int64_t globalBatch = 0;
  std::vector<std::string> warnings;
};

/// Seconds that a phone computes for x samples in calls of at most b.
double shareComputeSeconds(const MicroBatchClass &device, int64_t samples, int64_t microBatch);

/// Throws Error (cannot) where one sample, or the fixed micro-batch, does not fit: with the breakdown, what is too
/// large and by how much. peak(b) is taken to grow with b, give or take what the arena's heuristics do; whatever is
/// chosen has been planned and fits.
MicroBatchSolution solveMicroBatch(const MicroBatchProblem &problem);

} // namespace partyline::planner
