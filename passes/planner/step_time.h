//===- planner/step_time.h - how long a training step takes ---------------===//
//
// Op times come from a roofline (until calibrated), ready times of gradients from op times, and the step from both and
// the packing:
//
//   T = max(f[n], latest end of a phone's backward) + exposed update
//
// Updates start when a phone's backward has returned and go bucket by bucket as reductions end; what of them is left
// after the last reduction is exposed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/planner/network_cost.h"
#include "passes/planner/packing.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partyline::planner {

/// What an op does: so much per sample, so much per call (reading its weights, say).
struct OpWork {
  std::string name;
  double flopsPerSample = 0, bytesPerSample = 0; ///< a multiply-add is two flops
  double flops = 0, bytes = 0;                   ///< per call
};

/// Seconds of one call on a kind of device: max(flops / gflops, bytes / bandwidth).
double opSeconds(const OpWork &op, int64_t samples, const ClusterCompute &compute);

/// Seconds of all these ops for one micro-batch.
double microBatchSeconds(const std::vector<OpWork> &ops, int64_t samples, const ClusterCompute &compute);

/// Phones of one kind that do the same.
struct StepClass {
  std::string name;
  ClusterCompute compute;
  std::vector<OpWork> ops;         ///< forward and backward, in the order they run
  std::vector<int64_t> readyAfter; ///< per gradient tensor: the index of the op after which it is ready
  int64_t microBatch = 1;          ///< capacity of one call
  int64_t samples = 1;             ///< per phone and step, the largest share of its phones: ceil(samples / microBatch)
                                   ///< calls, the last with what is left
};

/// A step of a cluster.
struct StepProblem {
  std::vector<StepClass> classes;
  std::vector<int> classOf;         ///< of every phone, in rank order
  std::vector<std::string> tensors; ///< names, in arena order
  std::vector<int64_t> tensorBytes;
  NetworkModel network;                  ///< as many phones as classOf
  int64_t globalBatch = 0;               ///< samples of all phones in a step
  double updateBytesPerGradientByte = 3; ///< memory traffic of the optimizer: 3 for plain SGD (read both, write the
                                         ///< weight), 2 more for each slot, as momentum
};

/// Seconds; total = compute + exposedCommunication + update.
struct StepTime {
  double compute = 0;              ///< latest end of a phone's backward
  double communication = 0;        ///< the channel's busy time, hidden or not
  double exposedCommunication = 0; ///< from there to the end of the last reduction
  double update = 0;               ///< exposed update
  double total = 0;
  double efficiency = 0; ///< compute / total
  double imagesPerSecond = 0;
};

struct StepPlan {
  PackingSolution packing;
  PackingAlternatives alternatives;
  StepTime time;
};

/// One row of the scaling table: every phone keeps its share, so the global batch grows with the phones.
struct ScalingPoint {
  int64_t phones = 0;
  int64_t globalBatch = 0;
  double total = 0; ///< seconds
  double efficiency = 0;
  double imagesPerSecond = 0;
};

/// R[j]: over phones, the latest of (all but the last micro-batch + the place of the gradient's op in the last).
std::vector<double> readyTimes(const StepProblem &problem);

/// The packing problem of a step, with the ring's cost.
PackingProblem packingProblem(const StepProblem &problem);

StepTime stepTime(const StepProblem &problem, const PackingSolution &packing);

/// Packs and prices a step.
StepPlan planStep(const StepProblem &problem);

/// The step of the first `phones` phones, each with its class's samples.
StepProblem withPhones(const StepProblem &problem, int64_t phones);

/// Packs and prices steps of 1, 2, 4, ... phones of the problem, and of all of them.
std::vector<ScalingPoint> scalingTable(const StepProblem &problem);

/// Says where more phones are slower than fewer, and where most of the step is communication.
std::vector<std::string> scalingWarnings(const std::vector<ScalingPoint> &scaling);

} // namespace partyline::planner
