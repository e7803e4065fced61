//===- passes/plan.h - the plan of a model on a cluster -------------------===//
//
// From the IR behind the stage `optimizer` to the planner's problems and back: micro-batch and share of every phone,
// buckets, times, memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/cluster.h"
#include "passes/passes.h"
#include "passes/planner/micro_batch.h"
#include "passes/planner/report.h"
#include "passes/planner/step_time.h"

namespace partyline {

struct PlanOptions {
  std::string modelName;
  int64_t globalBatch = 0; ///< 0: take what fills the phones
  int64_t microBatch = 0;  ///< 0: auto
  int64_t memoryLimit = 0; ///< bytes per worker; 0: the device's memory
  int64_t batchNormMinimum = 8;
  double learningRate = 0;
  int64_t ranks = 1; ///< where the cluster has no hosts: ranks on this machine
};

/// A class of phones that share a step library.
struct PlannedClass {
  std::string device;
  int64_t microBatch = 0;
  planner::MemoryBreakdown memory;
};

struct Plan {
  std::vector<PlannedClass> classes;
  std::vector<planner::Bucket> buckets; ///< of tensors in gradient arena order
  std::vector<int64_t> bucketEnds;      ///< per bucket: the element behind it
  std::vector<int64_t> shares;          ///< samples per rank
  int64_t globalBatch = 0;
  planner::Report report;
};

/// Throws Error (cannot) where nothing fits.
Plan makePlan(mlir::ModuleOp module, const Cluster &cluster, const PlanOptions &options);

} // namespace partyline
