//===- planner/micro_batch.cpp - how many samples at a time ---------------===//
//
//   1. per class, the largest b that fits: doubling, then bisection over planned peaks
//   2. shares: the global batch over the phones, so that they finish together at that b (shares.h). Without a global
//      batch a phone takes one micro-batch at its best time per image, a fast kind as many as fit beside the slowest's
//   3. per class, for its share x: b = ceil(x / m) for every number m of micro-batches; of those that fit the fastest,
//      among equals the largest. Only these b matter: any other wastes memory for the same m
//
//===----------------------------------------------------------------------===//
#include "passes/planner/micro_batch.h"

#include "passes/planner/shares.h"
#include "passes/planner/units.h"
#include "runtime/shared/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace partyline::planner {
namespace {

/// Times closer than this are equal: the larger micro-batch is taken, which BatchNorm likes better.
constexpr double kFlat = 1e-3;

/// peak(b) of one class, planned once per b: planning an arena is not cheap.
class Peaks {
public:
  explicit Peaks(const MicroBatchClass &device) : device(device) {}

  const MemoryBreakdown &operator()(int64_t microBatch) {
    auto found = planned.find(microBatch);
    if (found == planned.end())
      found = planned.emplace(microBatch, device.memory(microBatch)).first;
    return found->second;
  }
  bool fits(int64_t microBatch) { return (*this)(microBatch).peak() <= device.memoryLimit; }

  /// The largest b up to `most` that fits, 0 if none does.
  int64_t largest(int64_t most) {
    int64_t low = 0, high = 1; // low fits, high is the next to try
    while (high <= most && fits(high)) {
      low = high;
      high = high == most ? most + 1 : std::min(2 * high, most);
    }
    while (low + 1 < high) {
      const int64_t middle = low + (high - low) / 2;
      (fits(middle) ? low : high) = middle;
    }
    return low;
  }

private:
  const MicroBatchClass &device;
  std::map<int64_t, MemoryBreakdown> planned;
};

std::string tooLarge(const MicroBatchClass &device, int64_t microBatch, const MemoryBreakdown &memory,
                     int64_t largest) {
  const int64_t excess = memory.peak() - device.memoryLimit;
  const auto [part, bytes] = partsBySize(memory).front();
  std::string text = fmt::format("device '{}': a micro-batch of {} needs {}, {} more than the memory limit of {}: {}. ",
                                 device.name, microBatch, humanBytes(memory.peak()), humanBytes(excess),
                                 humanBytes(device.memoryLimit), describe(memory));
  if (largest > 0)
    return text + fmt::format("The largest that fits is {}: ask for that or less with --micro-batch, or raise "
                              "--memory-limit",
                              largest);
  if (bytes > excess)
    text += fmt::format("The largest part, {}, would have to shrink to {}", part, humanBytes(bytes - excess));
  else
    text += fmt::format("Even without its largest part, {}, it would not fit", part);
  return text + "; use a smaller model or image, an optimizer with less state, or phones with more memory";
}

void check(const MicroBatchProblem &problem) {
  if (problem.classOf.empty())
    throw inputError("the cluster has no phones");
  for (int index : problem.classOf)
    if (index < 0 || index >= int(problem.classes.size()))
      throw inputError(fmt::format("micro-batch: no device class {}", index));
  for (auto [name, value] :
       {std::pair("--global-batch", problem.globalBatch), {"--micro-batch", problem.fixedMicroBatch}})
    if (value < 0 || value > (int64_t(1) << 31))
      throw inputError(fmt::format("{} {} is not in 1..2^31", name, value));
  if (problem.maxMicroBatch < 1)
    throw inputError(fmt::format("the largest micro-batch {} is not positive", problem.maxMicroBatch));
}

std::set<int> usedClasses(const MicroBatchProblem &problem) { return {problem.classOf.begin(), problem.classOf.end()}; }

/// The capacity that a class can use: fixed, or the largest that fits. Throws if nothing does.
int64_t capacityOf(const MicroBatchProblem &problem, const MicroBatchClass &device, Peaks &peaks) {
  const int64_t most =
      problem.globalBatch > 0 ? std::min(problem.globalBatch, problem.maxMicroBatch) : problem.maxMicroBatch;
  if (problem.fixedMicroBatch == 0) {
    const int64_t largest = peaks.largest(most);
    if (largest == 0)
      throw cannotError(tooLarge(device, 1, peaks(1), 0));
    return largest;
  }
  if (!peaks.fits(problem.fixedMicroBatch))
    throw cannotError(tooLarge(device, problem.fixedMicroBatch, peaks(problem.fixedMicroBatch),
                               peaks.largest(problem.fixedMicroBatch - 1)));
  return problem.fixedMicroBatch;
}

/// Step 2 with a global batch. Times are taken as linear between 1 and b samples.
std::vector<int64_t> shareGlobalBatch(const MicroBatchProblem &problem, const std::vector<int64_t> &capacities) {
  ShareProblem shares;
  shares.globalBatch = problem.globalBatch;
  for (int index : problem.classOf) {
    const MicroBatchClass &device = problem.classes[index];
    SharePhone phone;
    phone.microBatch = capacities[index];
    const double one = device.seconds(1), full = device.seconds(phone.microBatch);
    phone.perSample = phone.microBatch == 1 ? one : std::max(0.0, (full - one) / double(phone.microBatch - 1));
    phone.perMicroBatch = phone.microBatch == 1 ? 0 : std::max(0.0, one - phone.perSample);
    shares.phones.push_back(phone);
  }
  return solveShares(shares).samples;
}

/// Step 2 without one. Lowers capacities to the best time per image.
std::vector<int64_t> fillPhones(const MicroBatchProblem &problem, std::vector<int64_t> &capacities) {
  double slowest = 0;
  for (int index : usedClasses(problem)) {
    const MicroBatchClass &device = problem.classes[index];
    int64_t &capacity = capacities[index];
    if (problem.fixedMicroBatch == 0) {
      double best = device.seconds(1);
      for (int64_t b = 2; b <= capacity; ++b)
        best = std::min(best, device.seconds(b) / double(b));
      while (capacity > 1 && device.seconds(capacity) / double(capacity) > best * (1 + kFlat))
        --capacity;
    }
    slowest = std::max(slowest, device.seconds(capacity));
  }
  std::vector<int64_t> shares;
  for (int index : problem.classOf) {
    const double seconds = problem.classes[index].seconds(capacities[index]);
    const int64_t calls = seconds > 0 ? std::max<int64_t>(1, int64_t(slowest / seconds * (1 + 1e-9))) : 1;
    shares.push_back(calls * capacities[index]);
  }
  return shares;
}

/// Step 3: the micro-batch for a share of x samples.
int64_t microBatchFor(const MicroBatchProblem &problem, const MicroBatchClass &device, Peaks &peaks, int64_t capacity,
                      int64_t samples) {
  if (problem.fixedMicroBatch > 0)
    return problem.fixedMicroBatch;
  if (samples == 0)
    return 1;
  struct Candidate {
    int64_t microBatch;
    double seconds;
    bool batchNorm; ///< even the smallest call has samples enough for BatchNorm
  };
  std::vector<Candidate> candidates;
  double best = std::numeric_limits<double>::infinity();
  for (int64_t b = std::min(capacity, samples); b >= 1;) {
    const int64_t calls = (samples + b - 1) / b;
    b = (samples + calls - 1) / calls;
    const int64_t smallest = samples % b == 0 ? b : samples % b;
    candidates.push_back({b, shareComputeSeconds(device, samples, b), smallest >= problem.batchNormMinimum});
    best = std::min(best, candidates.back().seconds);
    --b;
  }
  // Best first: good for BatchNorm, then fast, then large. Planned in this order, until one fits.
  auto rank = [&](const Candidate &c) {
    return std::tuple(!c.batchNorm, c.seconds <= best * (1 + kFlat) ? 0 : c.seconds, -c.microBatch);
  };
  std::sort(candidates.begin(), candidates.end(), [&](auto &a, auto &b) { return rank(a) < rank(b); });
  for (const Candidate &candidate : candidates)
    if (peaks.fits(candidate.microBatch))
      return candidate.microBatch;
  return capacity;
}

} // namespace

double shareComputeSeconds(const MicroBatchClass &device, int64_t samples, int64_t microBatch) {
  const int64_t calls = samples / microBatch, rest = samples % microBatch;
  return (calls > 0 ? double(calls) * device.seconds(microBatch) : 0) + (rest > 0 ? device.seconds(rest) : 0);
}

MicroBatchSolution solveMicroBatch(const MicroBatchProblem &problem) {
  check(problem);
  std::vector<Peaks> peaks(problem.classes.begin(), problem.classes.end());
  std::vector<int64_t> capacities(problem.classes.size(), 0);
  for (int index : usedClasses(problem))
    capacities[index] = capacityOf(problem, problem.classes[index], peaks[index]);

  MicroBatchSolution solution;
  solution.shares = problem.globalBatch > 0 ? shareGlobalBatch(problem, capacities) : fillPhones(problem, capacities);
  solution.classes.resize(problem.classes.size());
  int64_t idle = 0;
  for (size_t phone = 0; phone < problem.classOf.size(); ++phone) {
    int64_t &largest = solution.classes[problem.classOf[phone]].samples;
    largest = std::max(largest, solution.shares[phone]);
    solution.globalBatch += solution.shares[phone];
    idle += solution.shares[phone] == 0;
  }
  for (int index : usedClasses(problem)) {
    const MicroBatchClass &device = problem.classes[index];
    ClassBatch &batch = solution.classes[index];
    batch.microBatch = microBatchFor(problem, device, peaks[index], capacities[index], batch.samples);
    batch.accumulation = (batch.samples + batch.microBatch - 1) / batch.microBatch;
    batch.memory = peaks[index](batch.microBatch);
    batch.seconds = shareComputeSeconds(device, batch.samples, batch.microBatch);
    const int64_t call = std::min(batch.microBatch, batch.samples);
    if (call > 0 && call < problem.batchNormMinimum)
      solution.warnings.push_back(
          fmt::format("device '{}' sees {} samples at a time, fewer than the {} that BatchNorm's "
                      "statistics want (--batchnorm-batch): train a larger global batch, on "
                      "fewer phones, or with --batchnorm frozen",
                      device.name, call, problem.batchNormMinimum));
  }
  if (idle > 0)
    solution.warnings.push_back(fmt::format("a global batch of {} leaves {} of {} phones without a sample",
                                            problem.globalBatch, idle, problem.classOf.size()));
  if (problem.globalBatch == 0)
    solution.warnings.push_back(fmt::format(
        "no --global-batch: {} fills the phones. The learning rate {} is used as it is; if it was tuned for a batch of "
        "N, multiply it by {} / N and warm it up (at 256: {:.3g})",
        solution.globalBatch, problem.learningRate, solution.globalBatch,
        problem.learningRate * double(solution.globalBatch) / 256));
  return solution;
}

} // namespace partyline::planner
