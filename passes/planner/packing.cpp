//===- planner/packing.cpp - which gradients travel together --------------===//
#include "passes/planner/packing.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace partyline::planner {
namespace {

/// R and S of the recurrence: index j is after the first j tensors.
struct Prefixes {
  std::vector<double> ready;
  std::vector<int64_t> bytes;
};

Prefixes prefixesOf(const PackingProblem &problem) {
  Prefixes prefixes{{0}, {0}};
  for (const PackingTensor &tensor : problem.tensors) {
    if (tensor.bytes < 0 || tensor.bytes > (int64_t(1) << 50) || prefixes.bytes.back() > (int64_t(1) << 60))
      throw inputError(fmt::format("packing: tensor '{}' has {} bytes", tensor.name, tensor.bytes));
    if (!(tensor.ready >= 0) || !std::isfinite(tensor.ready))
      throw inputError(fmt::format("packing: tensor '{}' is ready at {} s", tensor.name, tensor.ready));
    prefixes.bytes.push_back(prefixes.bytes.back() + tensor.bytes);
    prefixes.ready.push_back(std::max(prefixes.ready.back(), tensor.ready));
  }
  return prefixes;
}

/// Merges neighbours, first to last, where all later buckets still end in time. A bucket's deadline depends on later
/// buckets only, so one pass is enough.
std::vector<int64_t> mergeWithinSlack(const PackingProblem &problem, const Prefixes &prefixes,
                                      const std::vector<int64_t> &ends, double finish) {
  std::vector<double> deadlines(ends.size());
  for (size_t k = ends.size(); k-- > 0;
       finish -= problem.cost(prefixes.bytes[ends[k]] - prefixes.bytes[k == 0 ? 0 : ends[k - 1]]))
    deadlines[k] = finish;
  std::vector<int64_t> merged;
  double channelFree = 0, bucketEnd = 0; // before and after the bucket that may still grow
  for (size_t k = 0; k < ends.size(); ++k) {
    const int64_t open = merged.size() < 2 ? 0 : merged[merged.size() - 2];
    auto endOf = [&](int64_t first, double free) {
      return std::max(free, prefixes.ready[ends[k]]) + problem.cost(prefixes.bytes[ends[k]] - prefixes.bytes[first]);
    };
    if (!merged.empty()) {
      const double end = endOf(open, channelFree);
      if (end <= deadlines[k]) {
        merged.back() = ends[k];
        bucketEnd = end;
        continue;
      }
    }
    channelFree = bucketEnd;
    bucketEnd = endOf(merged.empty() ? 0 : merged.back(), channelFree);
    merged.push_back(ends[k]);
  }
  return merged;
}

} // namespace

PackingSolution pricePartition(const PackingProblem &problem, const std::vector<int64_t> &ends) {
  const Prefixes prefixes = prefixesOf(problem);
  PackingSolution solution;
  int64_t first = 0;
  for (int64_t last : ends) {
    Bucket bucket;
    bucket.first = first;
    bucket.last = last;
    bucket.bytes = prefixes.bytes[last] - prefixes.bytes[first];
    bucket.algorithm = problem.algorithm;
    bucket.ready = prefixes.ready[last];
    bucket.start = std::max(solution.end, bucket.ready);
    bucket.end = solution.end = bucket.start + problem.cost(bucket.bytes);
    solution.buckets.push_back(bucket);
    first = last;
  }
  return solution;
}

PackingSolution solvePacking(const PackingProblem &problem) {
  const Prefixes prefixes = prefixesOf(problem);
  const int64_t n = int64_t(problem.tensors.size());
  if (n == 0)
    return {};
  std::vector<double> f(n + 1, std::numeric_limits<double>::infinity());
  std::vector<int64_t> cut(n + 1, 0); // where the last bucket of the best partition of the first j begins
  f[0] = 0;
  for (int64_t j = 1; j <= n; ++j)
    for (int64_t i = 0; i < j; ++i) {
      const double start = std::max(f[i], prefixes.ready[j]);
      if (start >= f[j]) // a cost is not negative: cannot get better
        continue;
      const double end = start + problem.cost(prefixes.bytes[j] - prefixes.bytes[i]);
      if (end < f[j]) {
        f[j] = end;
        cut[j] = i;
      }
    }
  std::vector<int64_t> ends;
  for (int64_t j = n; j > 0; j = cut[j])
    ends.push_back(j);
  std::reverse(ends.begin(), ends.end());
  // Deadlines are differences of sums: a merge that rounding lets through must not make the plan worse.
  PackingSolution merged = pricePartition(problem, mergeWithinSlack(problem, prefixes, ends, f[n]));
  return merged.end <= f[n] ? merged : pricePartition(problem, ends);
}

std::vector<int64_t> chunkWise(const PackingProblem &problem) {
  std::vector<int64_t> ends;
  for (int64_t j = 1; j <= int64_t(problem.tensors.size()); ++j)
    ends.push_back(j);
  return ends;
}

std::vector<int64_t> oneBucket(const PackingProblem &problem) {
  if (problem.tensors.empty())
    return {};
  return {int64_t(problem.tensors.size())};
}

std::vector<int64_t> cappedBuckets(const PackingProblem &problem, int64_t firstCap, int64_t cap) {
  const int64_t n = int64_t(problem.tensors.size());
  std::vector<int64_t> ends;
  int64_t bytes = 0;
  for (int64_t j = 0; j < n; ++j) {
    bytes += problem.tensors[j].bytes;
    if (bytes >= (ends.empty() ? firstCap : cap) || j + 1 == n) {
      ends.push_back(j + 1);
      bytes = 0;
    }
  }
  return ends;
}

std::vector<int64_t> mergedGradients(const PackingProblem &problem) {
  const Prefixes prefixes = prefixesOf(problem);
  const int64_t n = int64_t(problem.tensors.size());
  const double startUp = problem.cost(1);
  std::vector<int64_t> ends;
  double channelFree = 0;
  int64_t first = 0;
  for (int64_t j = 1; j <= n; ++j) {
    const double start = std::max(channelFree, prefixes.ready[j]);
    if (j < n && prefixes.ready[j + 1] < start + startUp)
      continue;
    channelFree = start + problem.cost(prefixes.bytes[j] - prefixes.bytes[first]);
    ends.push_back(j);
    first = j;
  }
  return ends;
}

PackingAlternatives comparePackings(const PackingProblem &problem, const AllreduceCost &mpiCost) {
  PackingAlternatives alternatives;
  alternatives.chunkWise = pricePartition(problem, chunkWise(problem)).end;
  alternatives.oneBucket = pricePartition(problem, oneBucket(problem)).end;
  alternatives.capped = pricePartition(problem, cappedBuckets(problem)).end;
  alternatives.mergedGradients = pricePartition(problem, mergedGradients(problem)).end;
  alternatives.planned = solvePacking(problem).end;
  PackingProblem mpi = problem;
  mpi.cost = mpiCost;
  alternatives.mpiAllreduce = pricePartition(mpi, oneBucket(mpi)).end;
  return alternatives;
}

std::optional<std::string> validatePacking(const PackingProblem &problem, const PackingSolution &solution) {
  int64_t next = 0;
  double channelFree = 0;
  for (size_t k = 0; k < solution.buckets.size(); ++k) {
    const Bucket &bucket = solution.buckets[k];
    if (bucket.first != next || bucket.last <= bucket.first || bucket.last > int64_t(problem.tensors.size()))
      return fmt::format("bucket {} holds tensors [{}, {}) where {} is next", k, bucket.first, bucket.last, next);
    int64_t bytes = 0;
    for (int64_t j = next; j < bucket.last; ++j) {
      bytes += problem.tensors[j].bytes;
      if (problem.tensors[j].ready > bucket.start)
        return fmt::format("bucket {} starts before tensor {} is ready", k, j);
    }
    if (bytes != bucket.bytes)
      return fmt::format("bucket {} has {} bytes, its tensors {}", k, bucket.bytes, bytes);
    if (bucket.start < channelFree)
      return fmt::format("bucket {} starts before the one before it ends", k);
    if (std::abs(bucket.end - bucket.start - problem.cost(bytes)) > 1e-9 * bucket.end)
      return fmt::format("bucket {} does not take what its bytes cost", k);
    next = bucket.last;
    channelFree = bucket.end;
  }
  if (next != int64_t(problem.tensors.size()))
    return fmt::format("tensors from {} on are in no bucket", next);
  if (solution.end != channelFree)
    return fmt::format("the last bucket ends at {}, not at {}", channelFree, solution.end);
  return std::nullopt;
}

} // namespace partyline::planner
