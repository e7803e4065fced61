//===- tests/planner/step_time_test.cpp -----------------------------------===//
#include "passes/planner/step_time.h"
#include "runtime/shared/error.h"
#include "tests/planner/fuzz.h"

#include <algorithm>

namespace partyline::planner {
namespace {

/// Four phones of 1 GFLOP/s and 1 GB/s. Per sample: forward 2 Mflop, backward of the last layer 1 Mflop, of the first
/// 3 Mflop; 1 ms per Mflop.
StepProblem fourPhones() {
  StepProblem problem;
  StepClass device;
  device.name = "phone";
  device.compute = {1, 1e9};
  device.ops = {{"forward", 2e6, 0, 0, 0}, {"last_gradient", 1e6, 0, 0, 0}, {"first_gradient", 3e6, 0, 0, 0}};
  device.readyAfter = {1, 2};
  device.microBatch = 2;
  device.samples = 5;
  problem.classes = {device};
  problem.classOf = {0, 0, 0, 0};
  problem.tensors = {"last", "first"};
  problem.tensorBytes = {4'000'000, 1'000'000};
  problem.network.latency = 1e-3;
  problem.network.bandwidth = 1e9;
  problem.network.switchOf = {0, 0, 0, 0};
  problem.globalBatch = 20;
  return problem;
}

TEST(StepTime, RooflineTakesTheSlowerOfComputeAndMemory) {
  const OpWork op{"op", 2e6, 1e6, 1e6, 6e6};
  EXPECT_DOUBLE_EQ(opSeconds(op, 1, {1, 1e9}), 7e-3);   // 7 MB at 1 GB/s against 3 Mflop
  EXPECT_DOUBLE_EQ(opSeconds(op, 10, {1, 1e9}), 21e-3); // 21 Mflop against 16 MB
}

TEST(StepTime, GradientsAreReadyInTheLastMicroBatch) {
  // 5 samples by 2: two calls of 12 ms, then one sample: forward 2, last gradient 1, first gradient 3.
  const std::vector<double> ready = readyTimes(fourPhones());
  EXPECT_DOUBLE_EQ(ready[0], 24e-3 + 3e-3);
  EXPECT_DOUBLE_EQ(ready[1], 24e-3 + 6e-3);
}

TEST(StepTime, TheSlowestPhoneSetsThePace) {
  StepProblem problem = fourPhones();
  problem.classes.push_back(problem.classes[0]);
  problem.classes[1].compute.gflops = 0.5;
  EXPECT_DOUBLE_EQ(readyTimes(problem)[1], 30e-3); // nobody is of that class
  problem.classOf[2] = 1;
  EXPECT_DOUBLE_EQ(readyTimes(problem)[1], 60e-3);
  problem.classes[1].samples = 0; // signals at once
  EXPECT_DOUBLE_EQ(readyTimes(problem)[1], 30e-3);
}

TEST(StepTime, WorkedExample) {
  // Ring of 4: 6 (1 ms + n/4 / 1 GB/s): 12 ms for 4 MB, 7.5 ms for 1 MB, 13.5 ms together. Apart: 27..39, 39..46.5;
  // together: 30..43.5. Compute ends at 30, the update of 5 MB takes 3 * 5 ms after the reduction.
  const StepPlan plan = planStep(fourPhones());
  ASSERT_EQ(plan.packing.buckets.size(), 1u);
  EXPECT_NEAR(plan.time.compute, 30e-3, 1e-12);
  EXPECT_NEAR(plan.packing.end, 43.5e-3, 1e-12);
  EXPECT_NEAR(plan.time.communication, 13.5e-3, 1e-12);
  EXPECT_NEAR(plan.time.exposedCommunication, 13.5e-3, 1e-12);
  EXPECT_NEAR(plan.time.update, 15e-3, 1e-12);
  EXPECT_NEAR(plan.time.total, 58.5e-3, 1e-12);
  EXPECT_NEAR(plan.time.efficiency, 30 / 58.5, 1e-12);
  EXPECT_NEAR(plan.time.imagesPerSecond, 20 / 58.5e-3, 1e-9);
  EXPECT_NEAR(plan.alternatives.chunkWise, 46.5e-3, 1e-12);
  EXPECT_NEAR(plan.alternatives.planned, 43.5e-3, 1e-12);
}

TEST(StepTime, UpdatesHideBehindLaterReductions) {
  const StepProblem problem = fourPhones();
  const PackingProblem packing = packingProblem(problem);
  // Apart, the update of the first 4 MB runs 39..51 while the second bucket is reduced until 46.5: then 3 ms more.
  const StepTime time = stepTime(problem, pricePartition(packing, chunkWise(packing)));
  EXPECT_NEAR(time.total, 54e-3, 1e-12);
  EXPECT_NEAR(time.update, 7.5e-3, 1e-12);
}

TEST(StepTime, OnePhoneOnlyComputesAndUpdates) {
  const StepPlan plan = planStep(withPhones(fourPhones(), 1));
  EXPECT_EQ(plan.time.communication, 0);
  EXPECT_EQ(plan.time.exposedCommunication, 0);
  EXPECT_NEAR(plan.time.total, 45e-3, 1e-12);
}

TEST(StepTime, FuzzPartsAddUp) {
  fuzz(1, [](Random &random) {
    StepProblem problem = fourPhones();
    for (StepClass &device : problem.classes) {
      device.ops.clear();
      for (int64_t i = random.integer(1, 20); i > 0; --i)
        device.ops.push_back(
            {"op", random.real(0, 1e7), random.real(0, 1e7), random.real(0, 1e6), random.real(0, 1e6)});
      device.microBatch = random.integer(1, 9);
      device.samples = random.integer(0, 20);
      device.readyAfter.clear();
    }
    problem.tensors.clear();
    problem.tensorBytes.clear();
    for (int64_t i = random.integer(0, 30); i > 0; --i) {
      problem.tensors.push_back("t");
      problem.tensorBytes.push_back(random.integer(64, 1'000'000));
      problem.classes[0].readyAfter.push_back(random.integer(0, int64_t(problem.classes[0].ops.size()) - 1));
    }
    std::sort(problem.classes[0].readyAfter.begin(), problem.classes[0].readyAfter.end());
    const StepPlan plan = planStep(problem);
    const StepTime &time = plan.time;
    EXPECT_EQ(validatePacking(packingProblem(problem), plan.packing), std::nullopt);
    EXPECT_NEAR(time.total, time.compute + time.exposedCommunication + time.update, 1e-12);
    EXPECT_GE(time.exposedCommunication, 0);
    EXPECT_GE(time.update, 0);
    EXPECT_LE(time.exposedCommunication, time.communication + 1e-12);
    EXPECT_LE(time.efficiency, 1);
  });
}

TEST(StepTime, ScalingGoesByPowersOfTwoToTheWholeCluster) {
  StepProblem problem = fourPhones();
  for (int i = 0; i < 2; ++i) {
    problem.classOf.push_back(0);
    problem.network.switchOf.push_back(1);
  }
  problem.network.uplinkBandwidth = 1e8;
  problem.globalBatch = 29; // one phone has 4 samples
  const std::vector<ScalingPoint> table = scalingTable(problem);
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(table[0].phones, 1);
  EXPECT_EQ(table[2].phones, 4);
  EXPECT_EQ(table[3].phones, 6);
  EXPECT_EQ(table[2].globalBatch, 20);
  EXPECT_EQ(table[3].globalBatch, 29);
  EXPECT_NEAR(table[2].total, 58.5e-3, 1e-12);
  EXPECT_GT(table[3].total, table[2].total);
}

TEST(StepTime, SaysWhenMorePhonesAreSlower) {
  StepProblem problem = fourPhones();
  EXPECT_TRUE(scalingWarnings(scalingTable(withPhones(problem, 2))).empty());
  problem.network.bandwidth = 1e7;
  problem.network.sharedMedium = true;
  const std::vector<std::string> warnings = scalingWarnings(scalingTable(problem));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("4 phones train"), std::string::npos) << warnings[0];
}

TEST(StepTime, RefusesWhatMakesNoSense) {
  StepProblem problem = fourPhones();
  problem.classes[0].compute.gflops = 0;
  EXPECT_THROW(planStep(problem), Error);
  problem = fourPhones();
  problem.classes[0].readyAfter = {1, 3};
  EXPECT_THROW(planStep(problem), Error);
  problem = fourPhones();
  problem.network.switchOf.pop_back();
  EXPECT_THROW(planStep(problem), Error);
  EXPECT_THROW(withPhones(fourPhones(), 5), Error);
}

} // namespace
} // namespace partyline::planner
