//===- planner/step_time.cpp - how long a training step takes -------------===//
#include "passes/planner/step_time.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace partyline::planner {
namespace {

void check(const StepProblem &problem) {
  if (problem.classOf.empty() || problem.classOf.size() != problem.network.switchOf.size())
    throw inputError(fmt::format("step: {} phones compute, {} are on the network", problem.classOf.size(),
                                 problem.network.switchOf.size()));
  if (problem.tensors.size() != problem.tensorBytes.size())
    throw inputError(
        fmt::format("step: {} gradients with {} sizes", problem.tensors.size(), problem.tensorBytes.size()));
  for (int index : problem.classOf)
    if (index < 0 || index >= int(problem.classes.size()))
      throw inputError(fmt::format("step: no device class {}", index));
  for (const StepClass &device : problem.classes) {
    if (device.readyAfter.size() != problem.tensors.size())
      throw inputError(fmt::format("step: device '{}' says when {} of {} gradients are ready", device.name,
                                   device.readyAfter.size(), problem.tensors.size()));
    for (int64_t op : device.readyAfter)
      if (op < 0 || op >= int64_t(device.ops.size()))
        throw inputError(fmt::format("step: device '{}' has no op {}", device.name, op));
    if (!(device.compute.gflops > 0) || !(device.compute.bandwidth > 0))
      throw inputError(
          fmt::format("device '{}' gives no speed: add compute: {{gflops: 80, bandwidth: 14 GB/s}}", device.name));
    if (device.microBatch < 1 || device.samples < 0)
      throw inputError(
          fmt::format("step: device '{}' takes {} samples by {}", device.name, device.samples, device.microBatch));
  }
}

/// The classes that phones of the problem belong to.
std::set<int> usedClasses(const StepProblem &problem) { return {problem.classOf.begin(), problem.classOf.end()}; }

struct Split {
  int64_t before = 0; ///< full micro-batches before the last one
  int64_t last = 0;   ///< samples of the last one; 0 where the phone has none at all
};

Split splitOf(const StepClass &device) {
  if (device.samples == 0)
    return {};
  const int64_t before = (device.samples - 1) / device.microBatch;
  return {before, device.samples - before * device.microBatch};
}

double secondsBeforeLast(const StepClass &device) {
  const int64_t before = splitOf(device).before;
  return before == 0 ? 0 : double(before) * microBatchSeconds(device.ops, device.microBatch, device.compute);
}

/// When each op of the last micro-batch ends on a phone that has one.
std::vector<double> lastOpEnds(const StepClass &device, int64_t samples) {
  std::vector<double> ends;
  double now = secondsBeforeLast(device);
  for (const OpWork &op : device.ops)
    ends.push_back(now += opSeconds(op, samples, device.compute));
  return ends;
}

double backwardEnd(const StepProblem &problem) {
  double end = 0;
  for (int index : usedClasses(problem)) {
    const StepClass &device = problem.classes[index];
    const int64_t last = splitOf(device).last;
    if (last > 0 && !device.ops.empty())
      end = std::max(end, lastOpEnds(device, last).back());
  }
  return end;
}

} // namespace

double opSeconds(const OpWork &op, int64_t samples, const ClusterCompute &compute) {
  const double flops = op.flopsPerSample * double(samples) + op.flops;
  const double bytes = op.bytesPerSample * double(samples) + op.bytes;
  return std::max(flops / (compute.gflops * 1e9), bytes / compute.bandwidth);
}

double microBatchSeconds(const std::vector<OpWork> &ops, int64_t samples, const ClusterCompute &compute) {
  double seconds = 0;
  for (const OpWork &op : ops)
    seconds += opSeconds(op, samples, compute);
  return seconds;
}

std::vector<double> readyTimes(const StepProblem &problem) {
  check(problem);
  std::vector<double> ready(problem.tensors.size(), 0);
  for (int index : usedClasses(problem)) {
    const StepClass &device = problem.classes[index];
    const int64_t last = splitOf(device).last;
    if (last == 0) // signals every gradient at once
      continue;
    const std::vector<double> ends = lastOpEnds(device, last);
    for (size_t j = 0; j < ready.size(); ++j)
      ready[j] = std::max(ready[j], ends[device.readyAfter[j]]);
  }
  return ready;
}

PackingProblem packingProblem(const StepProblem &problem) {
  PackingProblem packing;
  packing.cost = ringAllreduce(problem.network);
  const std::vector<double> ready = readyTimes(problem);
  for (size_t j = 0; j < ready.size(); ++j)
    packing.tensors.push_back({problem.tensors[j], problem.tensorBytes[j], ready[j]});
  return packing;
}

StepTime stepTime(const StepProblem &problem, const PackingSolution &packing) {
  check(problem);
  StepTime time;
  time.compute = backwardEnd(problem);
  double slowestMemory = problem.classes[problem.classOf[0]].compute.bandwidth;
  for (int index : usedClasses(problem))
    slowestMemory = std::min(slowestMemory, problem.classes[index].compute.bandwidth);
  const double updateSecondsPerByte = problem.updateBytesPerGradientByte / slowestMemory;

  double updated = time.compute;
  for (const Bucket &bucket : packing.buckets) {
    time.communication += bucket.end - bucket.start;
    updated = std::max(updated, bucket.end) + double(bucket.bytes) * updateSecondsPerByte;
  }
  const double reduced = std::max(packing.end, time.compute);
  time.exposedCommunication = reduced - time.compute;
  time.total = std::max(updated, reduced);
  time.update = time.total - reduced;
  if (time.total > 0) {
    time.efficiency = time.compute / time.total;
    time.imagesPerSecond = double(problem.globalBatch) / time.total;
  }
  return time;
}

StepPlan planStep(const StepProblem &problem) {
  const PackingProblem packing = packingProblem(problem);
  StepPlan plan;
  plan.packing = solvePacking(packing);
  plan.alternatives = comparePackings(packing, mpiAllreduce(problem.network));
  plan.time = stepTime(problem, plan.packing);
  return plan;
}

StepProblem withPhones(const StepProblem &problem, int64_t phones) {
  check(problem);
  if (phones < 1 || phones > int64_t(problem.classOf.size()))
    throw inputError(fmt::format("step: {} of {} phones", phones, problem.classOf.size()));
  StepProblem part = problem;
  part.classOf.resize(phones);
  part.network.switchOf.resize(phones);
  part.globalBatch = 0;
  for (int index : part.classOf)
    part.globalBatch += part.classes[index].samples;
  return part;
}

std::vector<ScalingPoint> scalingTable(const StepProblem &problem) {
  const int64_t all = int64_t(problem.classOf.size());
  std::vector<ScalingPoint> table;
  auto add = [&](const StepProblem &part) {
    const StepTime time = stepTime(part, solvePacking(packingProblem(part)));
    table.push_back(
        {int64_t(part.classOf.size()), part.globalBatch, time.total, time.efficiency, time.imagesPerSecond});
  };
  for (int64_t phones = 1; phones < all; phones *= 2)
    add(withPhones(problem, phones));
  add(problem); // with its own global batch: shares that differ by one are not rounded up
  return table;
}

std::vector<std::string> scalingWarnings(const std::vector<ScalingPoint> &scaling) {
  std::vector<std::string> warnings;
  if (scaling.empty())
    return warnings;
  const ScalingPoint &all = scaling.back();
  const ScalingPoint *best = &all;
  for (const ScalingPoint &point : scaling)
    if (point.imagesPerSecond > best->imagesPerSecond)
      best = &point;
  if (best != &all)
    warnings.push_back(fmt::format("{} phones train {:.3g} images/s, {} would train {:.3g}: the network does not carry "
                                   "the cluster; use fewer phones, a larger global batch or a faster network",
                                   all.phones, all.imagesPerSecond, best->phones, best->imagesPerSecond));
  else if (all.efficiency < 0.5)
    warnings.push_back(fmt::format("computation is {:.0f} % of a step on {} phones: a larger global batch would use "
                                   "them better",
                                   100 * all.efficiency, all.phones));
  return warnings;
}

} // namespace partyline::planner
