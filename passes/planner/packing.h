//===- planner/packing.h - which gradients travel together ----------------===//
//
// Gradients become ready one after another while backward runs; neighbours in that order are packed into buckets, and
// buckets are reduced one after another over one channel. Few buckets save latencies, many start earlier.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/planner/network_cost.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partyline::planner {

struct PackingTensor {
  std::string name;
  int64_t bytes = 0; ///< in the gradient arena, padding included
  double ready = 0;  ///< R[j], seconds from the start of the step
};

struct PackingProblem {
  std::vector<PackingTensor> tensors; ///< in arena order. One that is ready before its predecessor waits for it
  AllreduceCost cost;                 ///< t_c(bytes), seconds
  std::string algorithm = "ring";     ///< what `cost` is the cost of
};

/// Tensors [first, last) as one message.
struct Bucket {
  int64_t first = 0, last = 0;
  int64_t bytes = 0;
  std::string algorithm;
  double ready = 0, start = 0, end = 0; ///< seconds from the start of the step
};

struct PackingSolution {
  std::vector<Bucket> buckets;
  double end = 0; ///< f[n]: when the last bucket is reduced
};

/// The optimum: f[0] = 0, f[j] = min over i < j of max(f[i], R[j]) + t_c(S[j] - S[i]). O(n^2) calls of the cost.
/// Of the optimal partitions one with few buckets: neighbours are merged where that delays nothing.
PackingSolution solvePacking(const PackingProblem &problem);

/// The same pipeline for a given partition, by the end of each bucket: increasing, the last is the number of tensors.
PackingSolution pricePartition(const PackingProblem &problem, const std::vector<int64_t> &ends);

/// What others do, as ends of buckets.
std::vector<int64_t> chunkWise(const PackingProblem &problem);
std::vector<int64_t> oneBucket(const PackingProblem &problem);
/// PyTorch's DistributedDataParallel: a bucket closes when it has reached its cap, 1 MiB for the first, then 25 MiB.
std::vector<int64_t> cappedBuckets(const PackingProblem &problem, int64_t firstCap = 1 << 20, int64_t cap = 25 << 20);
/// MG-WFBP (Shi, Chu and Li, arXiv 1811.11141): a gradient waits for the next one if that is ready before its own
/// message would have got past its start-up time, taken as the cost of one byte.
std::vector<int64_t> mergedGradients(const PackingProblem &problem);

/// Ends of the last reduction, in seconds, by way of packing.
struct PackingAlternatives {
  double chunkWise = 0, oneBucket = 0, capped = 0, mergedGradients = 0;
  double mpiAllreduce = 0; ///< one bucket, by MPI's own algorithm
  double planned = 0;
};

PackingAlternatives comparePackings(const PackingProblem &problem, const AllreduceCost &mpiCost);

/// What is wrong with a solution, if anything: every tensor in one bucket, in order, one bucket at a time.
std::optional<std::string> validatePacking(const PackingProblem &problem, const PackingSolution &solution);

} // namespace partyline::planner
