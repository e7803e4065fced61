//===- planner/report.cpp - the report as JSON ----------------------------===//
//
// Each struct lists its fields once, in `fields`; the writer and the reader both walk that list.
//
//===----------------------------------------------------------------------===//
#include "passes/planner/report.h"

#include "runtime/shared/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace partyline::planner {
namespace {

using Json = nlohmann::ordered_json;

template <typename Visit> void fields(ReportParameters &value, Visit &&visit) {
  visit("count", value.count);
  visit("bytes", value.bytes);
  visit("tensors", value.tensors);
}

template <typename Visit> void fields(ReportMemory &value, Visit &&visit) {
  visit("limit", value.limit);
  visit("parameters", value.parameters);
  visit("gradients", value.gradients);
  visit("optimizer", value.optimizer);
  visit("activations", value.activations);
  visit("communication", value.communication);
  visit("other", value.other);
  visit("peak", value.peak);
  visit("lower_bound", value.lowerBound);
}

template <typename Visit> void fields(ReportDevice &value, Visit &&visit) {
  visit("count", value.count);
  visit("micro_batch", value.microBatch);
  visit("accumulation", value.accumulation);
  visit("recomputed_ops", value.recomputedOps);
  visit("memory", value.memory);
}

template <typename Visit> void fields(ReportBucket &value, Visit &&visit) {
  visit("tensors", value.tensors);
  visit("bytes", value.bytes);
  visit("algorithm", value.algorithm);
  visit("ready_ms", value.readyMs);
  visit("start_ms", value.startMs);
  visit("end_ms", value.endMs);
}

template <typename Visit> void fields(ReportAlternatives &value, Visit &&visit) {
  visit("chunk_wise_ms", value.chunkWiseMs);
  visit("one_bucket_ms", value.oneBucketMs);
  visit("capped_25mb_ms", value.capped25mbMs);
  visit("mg_wfbp_ms", value.mgWfbpMs);
  visit("mpi_allreduce_ms", value.mpiAllreduceMs);
  visit("planned_ms", value.plannedMs);
}

template <typename Visit> void fields(ReportStep &value, Visit &&visit) {
  visit("compute_ms", value.computeMs);
  visit("communication_ms", value.communicationMs);
  visit("exposed_communication_ms", value.exposedCommunicationMs);
  visit("update_ms", value.updateMs);
  visit("total_ms", value.totalMs);
  visit("efficiency", value.efficiency);
  visit("images_per_s", value.imagesPerS);
}

template <typename Visit> void fields(ReportScaling &value, Visit &&visit) {
  visit("phones", value.phones);
  visit("global_batch", value.globalBatch);
  visit("total_ms", value.totalMs);
  visit("efficiency", value.efficiency);
}

/// `packing` is a level of its own in the file only.
struct Packing {
  std::vector<ReportBucket> &buckets;
  ReportAlternatives &alternatives;
};

template <typename Visit> void fields(Packing &value, Visit &&visit) {
  visit("buckets", value.buckets);
  visit("alternatives", value.alternatives);
}

template <typename Visit> void fields(Report &value, Visit &&visit) {
  Packing packing{value.buckets, value.alternatives};
  visit("model", value.model);
  visit("parameters", value.parameters);
  visit("devices", value.devices);
  visit("global_batch", value.globalBatch);
  visit("packing", packing);
  visit("step", value.step);
  visit("scaling", value.scaling);
  visit("notes", value.notes);
  visit("warnings", value.warnings);
}

Json write(int64_t &value) { return value; }
Json write(double &value) { return value; }
Json write(std::string &value) { return value; }
template <typename T> Json write(std::vector<T> &values);
template <typename T> Json write(std::map<std::string, T> &values);
template <typename T> Json write(T &value) {
  Json json = Json::object();
  fields(value, [&](const char *name, auto &field) { json[name] = write(field); });
  return json;
}
template <typename T> Json write(std::vector<T> &values) {
  Json json = Json::array();
  for (T &value : values)
    json.push_back(write(value));
  return json;
}
template <typename T> Json write(std::map<std::string, T> &values) {
  Json json = Json::object();
  for (auto &[name, value] : values)
    json[name] = write(value);
  return json;
}

[[noreturn]] void wrong(const std::string &path, const char *wanted) {
  throw inputError("report: '" + path + "' is missing or is not " + wanted);
}

void read(const Json &json, const std::string &path, int64_t &value) {
  if (!json.is_number_integer())
    wrong(path, "an integer");
  value = json.get<int64_t>();
}
void read(const Json &json, const std::string &path, double &value) {
  if (!json.is_number())
    wrong(path, "a number");
  value = json.get<double>();
}
void read(const Json &json, const std::string &path, std::string &value) {
  if (!json.is_string())
    wrong(path, "a string");
  value = json.get<std::string>();
}
template <typename T> void read(const Json &json, const std::string &path, std::vector<T> &values);
template <typename T> void read(const Json &json, const std::string &path, std::map<std::string, T> &values);
template <typename T> void read(const Json &json, const std::string &path, T &value) {
  if (!json.is_object())
    wrong(path, "an object");
  fields(value, [&](const char *name, auto &field) {
    auto found = json.find(name);
    read(found == json.end() ? Json() : *found, path.empty() ? name : path + "." + name, field);
  });
}
template <typename T> void read(const Json &json, const std::string &path, std::vector<T> &values) {
  if (!json.is_array())
    wrong(path, "a list");
  values.clear();
  for (const Json &item : json) {
    const std::string itemPath = fmt::format("{}[{}]", path, values.size());
    read(item, itemPath, values.emplace_back());
  }
}
template <typename T> void read(const Json &json, const std::string &path, std::map<std::string, T> &values) {
  if (!json.is_object())
    wrong(path, "an object");
  values.clear();
  for (const auto &[name, item] : json.items())
    read(item, path + "." + name, values[name]);
}

} // namespace

ReportMemory reportMemory(const MemoryBreakdown &memory, int64_t limit, int64_t activationLowerBound) {
  ReportMemory report;
  report.limit = limit;
  report.parameters = memory.parameters;
  report.gradients = memory.gradients;
  report.optimizer = memory.optimizer;
  report.activations = memory.activations;
  report.communication = memory.communication;
  report.other = memory.other();
  report.peak = memory.peak();
  report.lowerBound = memory.peak() - memory.activations + activationLowerBound;
  return report;
}

void addStep(Report &report, const StepPlan &plan, const std::vector<ScalingPoint> &scaling) {
  for (const Bucket &bucket : plan.packing.buckets)
    report.buckets.push_back({bucket.last - bucket.first, bucket.bytes, bucket.algorithm, bucket.ready * 1e3,
                              bucket.start * 1e3, bucket.end * 1e3});
  const PackingAlternatives &other = plan.alternatives;
  report.alternatives = {other.chunkWise * 1e3,       other.oneBucket * 1e3,    other.capped * 1e3,
                         other.mergedGradients * 1e3, other.mpiAllreduce * 1e3, other.planned * 1e3};
  const StepTime &time = plan.time;
  report.step = {time.compute * 1e3,  time.communication * 1e3, time.exposedCommunication * 1e3,
                 time.update * 1e3,   time.total * 1e3,         time.efficiency,
                 time.imagesPerSecond};
  for (const ScalingPoint &point : scaling)
    report.scaling.push_back({point.phones, point.globalBatch, point.total * 1e3, point.efficiency});
}

nlohmann::ordered_json toJson(const Report &report) {
  Report copy = report; // one list of fields serves reading and writing, so it takes them by reference
  return write(copy);
}

Report reportFromJson(const nlohmann::ordered_json &json) {
  Report report;
  read(json, "", report);
  return report;
}

} // namespace partyline::planner
