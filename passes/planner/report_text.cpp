//===- planner/report_text.cpp - the report for people --------------------===//
#include "passes/planner/report.h"
#include "passes/planner/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace partyline::planner {
namespace {

/// Columns as wide as they need to be, the first one aligned left, the others right.
class Table {
public:
  explicit Table(std::vector<std::string> header) { rows.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }

  std::string text() const {
    std::vector<size_t> widths(rows[0].size(), 0);
    for (const auto &row : rows)
      for (size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const auto &row : rows) {
      std::string line = fmt::format("  {:<{}}", row[0], widths[0]);
      for (size_t i = 1; i < row.size(); ++i)
        line += fmt::format("  {:>{}}", row[i], widths[i]);
      text += line + "\n";
    }
    return text;
  }

private:
  std::vector<std::vector<std::string>> rows;
};

std::string number(int64_t value) { return fmt::format("{}", value); }
std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string memoryTable(const Report &report) {
  Table table({"memory per phone", "parameters", "gradients", "optimizer", "activations", "communication", "other",
               "peak", "lower bound", "limit"});
  for (const auto &[name, device] : report.devices) {
    const ReportMemory &memory = device.memory;
    table.add({name, humanBytes(memory.parameters), humanBytes(memory.gradients), humanBytes(memory.optimizer),
               humanBytes(memory.activations), humanBytes(memory.communication), humanBytes(memory.other),
               humanBytes(memory.peak), humanBytes(memory.lowerBound), humanBytes(memory.limit)});
  }
  return table.text();
}

/// Many buckets would bury the rest: the first and the last few, and how many are between them.
std::string bucketTable(const Report &report) {
  constexpr size_t kShown = 8;
  Table table({"bucket", "tensors", "size", "algorithm", "ready", "start", "end"});
  const size_t count = report.buckets.size();
  for (size_t i = 0; i < count; ++i) {
    if (count > 2 * kShown && i >= kShown && i < count - kShown) {
      table.add({fmt::format("... {} more", count - 2 * kShown)});
      i = count - kShown - 1;
      continue;
    }
    const ReportBucket &bucket = report.buckets[i];
    table.add({number(int64_t(i)), number(bucket.tensors), humanBytes(bucket.bytes), bucket.algorithm,
               humanMilliseconds(bucket.readyMs), humanMilliseconds(bucket.startMs), humanMilliseconds(bucket.endMs)});
  }
  return table.text();
}

} // namespace

std::string toText(const Report &report) {
  std::string text =
      fmt::format("{}: {} parameters ({}) in {} tensors, global batch {}\n\n", report.model, report.parameters.count,
                  humanBytes(report.parameters.bytes), report.parameters.tensors, report.globalBatch);

  Table devices({"device", "phones", "micro-batch", "accumulation", "recomputed ops"});
  for (const auto &[name, device] : report.devices)
    devices.add({name, number(device.count), number(device.microBatch), number(device.accumulation),
                 number(device.recomputedOps)});
  text += devices.text() + "\n" + memoryTable(report) + "\n";

  if (!report.buckets.empty())
    text += bucketTable(report) + "\n";

  const ReportAlternatives &other = report.alternatives;
  Table alternatives(
      {"gradients reduced by", "planned", "chunk-wise", "one bucket", "25 MB buckets", "MG-WFBP", "MPI_Allreduce"});
  alternatives.add({"time in the step", humanMilliseconds(other.plannedMs), humanMilliseconds(other.chunkWiseMs),
                    humanMilliseconds(other.oneBucketMs), humanMilliseconds(other.capped25mbMs),
                    humanMilliseconds(other.mgWfbpMs), humanMilliseconds(other.mpiAllreduceMs)});
  text += alternatives.text() + "\n";

  const ReportStep &step = report.step;
  text += fmt::format("  step {}: compute {}, exposed communication {} (of {}), update {}; efficiency {}, {:.4g} "
                      "images/s\n",
                      humanMilliseconds(step.totalMs), humanMilliseconds(step.computeMs),
                      humanMilliseconds(step.exposedCommunicationMs), humanMilliseconds(step.communicationMs),
                      humanMilliseconds(step.updateMs), percent(step.efficiency), step.imagesPerS);

  if (!report.scaling.empty()) {
    Table scaling({"phones", "global batch", "step", "efficiency"});
    for (const ReportScaling &point : report.scaling)
      scaling.add({number(point.phones), number(point.globalBatch), humanMilliseconds(point.totalMs),
                   percent(point.efficiency)});
    text += fmt::format("\n{}", scaling.text());
  }
  for (const std::string &note : report.notes)
    text += "\nnote: " + note + "\n";
  for (const std::string &warning : report.warnings)
    text += "\nwarning: " + warning + "\n";
  return text;
}

} // namespace partyline::planner
