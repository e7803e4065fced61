//===- planner/report.h - what the plan says ------------------------------===//
//
// The report of `partyline plan`: one struct, written as JSON (field names as below, in snake case) and as text. Bytes
// are bytes, times milliseconds, efficiency = compute / total.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/planner/memory.h"
#include "passes/planner/step_time.h"

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace partyline::planner {

struct ReportParameters {
  int64_t count = 0;   ///< trained scalars
  int64_t bytes = 0;   ///< of these
  int64_t tensors = 0; ///< gradient tensors
  bool operator==(const ReportParameters &) const = default;
};

struct ReportMemory {
  int64_t limit = 0;
  int64_t parameters = 0, gradients = 0, optimizer = 0, activations = 0, communication = 0;
  int64_t other = 0;      ///< data read ahead, and the worker's own footprint
  int64_t peak = 0;       ///< sum of the parts
  int64_t lowerBound = 0; ///< the peak if the activation arena were as small as its most live bytes
  bool operator==(const ReportMemory &) const = default;
};

struct ReportDevice {
  int64_t count = 0;
  int64_t microBatch = 0, accumulation = 0, recomputedOps = 0;
  ReportMemory memory;
  bool operator==(const ReportDevice &) const = default;
};

struct ReportBucket {
  int64_t tensors = 0, bytes = 0;
  std::string algorithm;
  double readyMs = 0, startMs = 0, endMs = 0;
  bool operator==(const ReportBucket &) const = default;
};

/// From the start of the step to the end of its last reduction.
struct ReportAlternatives {
  double chunkWiseMs = 0, oneBucketMs = 0, capped25mbMs = 0, mgWfbpMs = 0, mpiAllreduceMs = 0, plannedMs = 0;
  bool operator==(const ReportAlternatives &) const = default;
};

/// totalMs = computeMs + exposedCommunicationMs + updateMs.
struct ReportStep {
  double computeMs = 0, communicationMs = 0, exposedCommunicationMs = 0, updateMs = 0, totalMs = 0;
  double efficiency = 0, imagesPerS = 0;
  bool operator==(const ReportStep &) const = default;
};

struct ReportScaling {
  int64_t phones = 0, globalBatch = 0;
  double totalMs = 0, efficiency = 0;
  bool operator==(const ReportScaling &) const = default;
};

struct Report {
  std::string model;
  ReportParameters parameters;
  std::map<std::string, ReportDevice> devices;
  int64_t globalBatch = 0;
  std::vector<ReportBucket> buckets;
  ReportAlternatives alternatives;
  ReportStep step;
  std::vector<ReportScaling> scaling;
  std::vector<std::string> notes; ///< what was found in the model
  std::vector<std::string> warnings;
  bool operator==(const Report &) const = default;
};

ReportMemory reportMemory(const MemoryBreakdown &memory, int64_t limit, int64_t activationLowerBound);

/// Fills in buckets, alternatives, step and scaling, from seconds to milliseconds.
void addStep(Report &report, const StepPlan &plan, const std::vector<ScalingPoint> &scaling);

nlohmann::ordered_json toJson(const Report &report);

/// Throws Error (wrong input) that names the field which is missing or of the wrong kind.
Report reportFromJson(const nlohmann::ordered_json &json);

/// For people: tables and human units (report_text.cpp).
std::string toText(const Report &report);

} // namespace partyline::planner
