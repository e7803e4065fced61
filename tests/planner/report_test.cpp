//===- tests/planner/report_test.cpp --------------------------------------===//
#include "passes/planner/report.h"
#include "passes/planner/units.h"
#include "runtime/shared/error.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace partyline::planner {
namespace {

using Json = nlohmann::ordered_json;

Report example() {
  Report report;
  report.model = "resnet20";
  report.parameters = {272474, 1089896, 65};
  MemoryBreakdown memory;
  memory.parameters = 1'100'000;
  memory.gradients = 1'090'000;
  memory.optimizer = 1'090'000;
  memory.activations = 50'000'000;
  memory.data = 2'000'000;
  memory.footprint = 30'000'000;
  report.devices["s10plus"] = {46, 16, 2, 0, reportMemory(memory, 2'800'000'000, 49'000'000)};
  report.globalBatch = 1472;
  report.buckets = {{40, 900000, "ring", 10.5, 10.5, 20.25}, {25, 189896, "ring", 30, 30, 34}};
  report.alternatives = {100, 50, 45, 40, 60, 34};
  report.step = {30, 13.75, 4, 0.5, 34.5, 30 / 34.5, 42667};
  report.scaling = {{1, 32, 30.5, 0.98}, {46, 1472, 34.5, 0.87}};
  report.notes = {"three"};
  report.warnings = {"one", "two"};
  return report;
}

TEST(Report, JsonHasTheDesignsFieldsInTheirOrder) {
  const Json json = toJson(example());
  auto keys = [](const Json &object) {
    std::string text;
    for (const auto &[key, value] : object.items())
      text += (text.empty() ? "" : ",") + key;
    return text;
  };
  EXPECT_EQ(keys(json), "model,parameters,devices,global_batch,packing,step,scaling,notes,warnings");
  EXPECT_EQ(keys(json["parameters"]), "count,bytes,tensors");
  EXPECT_EQ(keys(json["devices"]["s10plus"]), "count,micro_batch,accumulation,recomputed_ops,memory");
  EXPECT_EQ(keys(json["devices"]["s10plus"]["memory"]),
            "limit,parameters,gradients,optimizer,activations,communication,other,peak,lower_bound");
  EXPECT_EQ(keys(json["packing"]), "buckets,alternatives");
  EXPECT_EQ(keys(json["packing"]["buckets"][0]), "tensors,bytes,algorithm,ready_ms,start_ms,end_ms");
  EXPECT_EQ(keys(json["packing"]["alternatives"]),
            "chunk_wise_ms,one_bucket_ms,capped_25mb_ms,mg_wfbp_ms,mpi_allreduce_ms,planned_ms");
  EXPECT_EQ(keys(json["step"]), "compute_ms,communication_ms,exposed_communication_ms,update_ms,total_ms,efficiency,"
                                "images_per_s");
  EXPECT_EQ(keys(json["scaling"][0]), "phones,global_batch,total_ms,efficiency");
}

TEST(Report, MemoryAddsUp) {
  const ReportMemory memory = example().devices["s10plus"].memory;
  EXPECT_EQ(memory.other, 32'000'000);
  EXPECT_EQ(memory.peak, memory.parameters + memory.gradients + memory.optimizer + memory.activations +
                             memory.communication + memory.other);
  EXPECT_EQ(memory.peak - memory.lowerBound, 1'000'000);
}

TEST(Report, JsonReadsBack) {
  const Report report = example();
  EXPECT_EQ(reportFromJson(Json::parse(toJson(report).dump())), report);
  EXPECT_EQ(reportFromJson(toJson(Report{})), Report{});
}

TEST(Report, AWrongFieldIsNamed) {
  auto message = [](auto change) {
    Json json = toJson(example());
    change(json);
    try {
      reportFromJson(json);
    } catch (const Error &error) {
      EXPECT_EQ(error.exitCode, kWrongInput);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message([](Json &json) { json["packing"]["buckets"][1].erase("bytes"); }),
            "report: 'packing.buckets[1].bytes' is missing or is not an integer");
  EXPECT_EQ(message([](Json &json) { json["devices"]["s10plus"]["memory"]["peak"] = "much"; }),
            "report: 'devices.s10plus.memory.peak' is missing or is not an integer");
  EXPECT_NE(message([](Json &json) { json = Json::array(); }), "");
  EXPECT_NE(message([](Json &json) { json["warnings"] = "none"; }), "");
}

TEST(Report, SecondsBecomeMilliseconds) {
  StepPlan plan;
  plan.packing.buckets = {{0, 3, 100, "ring", 0.001, 0.002, 0.004}};
  plan.time.total = 0.005;
  plan.alternatives.capped = 0.007;
  Report report;
  addStep(report, plan, {{8, 64, 0.005, 0.5, 12800}});
  EXPECT_EQ(report.buckets[0], (ReportBucket{3, 100, "ring", 1, 2, 4}));
  EXPECT_EQ(report.step.totalMs, 5);
  EXPECT_EQ(report.alternatives.capped25mbMs, 7);
  EXPECT_EQ(report.scaling[0], (ReportScaling{8, 64, 5, 0.5}));
}

TEST(Report, TextIsForPeople) {
  const std::string text = toText(example());
  for (const char *part : {"resnet20: 272474 parameters (1.09 MB) in 65 tensors, global batch 1472", "s10plus",
                           "85.3 MB", "2.80 GB", "20.25 ms", "MG-WFBP", "87.0 %", "warning: two"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(Report, TextLeavesOutTheMiddleOfManyBuckets) {
  Report report = example();
  report.buckets.assign(100, report.buckets[0]);
  EXPECT_NE(toText(report).find("... 84 more"), std::string::npos);
}

TEST(Units, PickTheUnitThatReads) {
  EXPECT_EQ(humanBytes(0), "0 B");
  EXPECT_EQ(humanBytes(999), "999 B");
  EXPECT_EQ(humanBytes(1000), "1.00 kB");
  EXPECT_EQ(humanBytes(97'700'000), "97.7 MB");
  EXPECT_EQ(humanBytes(999'960'000), "1.00 GB");
  EXPECT_EQ(humanBytes(2'800'000'000), "2.80 GB");
  EXPECT_EQ(humanBytes(-1500), "-1.50 kB");
  EXPECT_EQ(humanMilliseconds(0), "0 ms");
  EXPECT_EQ(humanMilliseconds(0.53), "530 us");
  EXPECT_EQ(humanMilliseconds(20.25), "20.25 ms");
  EXPECT_EQ(humanMilliseconds(470), "470 ms");
  EXPECT_EQ(humanMilliseconds(84000), "84.0 s");
}

} // namespace
} // namespace partyline::planner
