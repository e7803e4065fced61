//===- tests/planner/micro_batch_test.cpp ---------------------------------===//
#include "passes/planner/micro_batch.h"
#include "runtime/shared/error.h"
#include "tests/planner/fuzz.h"

#include <limits>
#include <memory>
#include <numeric>

namespace partyline::planner {
namespace {

/// Fixed parts 30 bytes, 10 bytes per sample; 2 s per call and 1 s per sample.
MicroBatchClass device(int64_t limit) {
  MicroBatchClass device;
  device.name = "phone";
  device.memoryLimit = limit;
  device.memory = [](int64_t b) {
    MemoryBreakdown memory;
    memory.parameters = 10;
    memory.gradients = 10;
    memory.footprint = 10;
    memory.activations = 10 * b;
    return memory;
  };
  device.seconds = [](int64_t b) { return 2 + double(b); };
  return device;
}

MicroBatchProblem problemOf(int64_t limit, int phones, int64_t globalBatch) {
  MicroBatchProblem problem;
  problem.classes = {device(limit)};
  problem.classOf.assign(phones, 0);
  problem.globalBatch = globalBatch;
  return problem;
}

std::string messageOf(const MicroBatchProblem &problem, ExitCode code) {
  try {
    solveMicroBatch(problem);
  } catch (const Error &error) {
    EXPECT_EQ(error.exitCode, code);
    return error.what();
  }
  return "";
}

TEST(MicroBatch, TheWholeShareWhereItFits) {
  const MicroBatchSolution solution = solveMicroBatch(problemOf(1000, 4, 64));
  EXPECT_EQ(solution.classes[0].microBatch, 16);
  EXPECT_EQ(solution.classes[0].accumulation, 1);
  EXPECT_EQ(solution.classes[0].samples, 16);
  EXPECT_EQ(solution.classes[0].memory.peak(), 190);
  EXPECT_EQ(solution.classes[0].seconds, 18);
  EXPECT_EQ(solution.shares, (std::vector<int64_t>{16, 16, 16, 16}));
  EXPECT_TRUE(solution.warnings.empty());
}

TEST(MicroBatch, AccumulatesInEqualPartsWhereItDoesNotFit) {
  // 7 samples fit: 16 need three calls; 6, 6 and 4 rather than 7, 7 and 2.
  const MicroBatchSolution solution = solveMicroBatch(problemOf(100, 4, 64));
  EXPECT_EQ(solution.classes[0].microBatch, 6);
  EXPECT_EQ(solution.classes[0].accumulation, 3);
  EXPECT_EQ(solution.classes[0].seconds, 22);
}

TEST(MicroBatch, HalfTheMemoryGivesASmallerMicroBatch) {
  const auto whole = solveMicroBatch(problemOf(700, 1, 64)).classes[0];
  const auto half = solveMicroBatch(problemOf(350, 1, 64)).classes[0];
  EXPECT_EQ(whole.microBatch, 64);
  EXPECT_EQ(half.microBatch, 32);
  EXPECT_EQ(half.accumulation, 2);
  EXPECT_LE(half.memory.peak(), 350);
}

TEST(MicroBatch, SaysWhatIsTooLarge) {
  EXPECT_EQ(messageOf(problemOf(35, 4, 64), kCannot),
            "device 'phone': a micro-batch of 1 needs 40 B, 5 B more than the memory limit of 35 B: parameters 10 B, "
            "gradients 10 B, activations 10 B, other 10 B. The largest part, parameters, would have to shrink to 5 B; "
            "use a smaller model or image, an optimizer with less state, or phones with more memory");
  EXPECT_NE(messageOf(problemOf(20, 4, 64), kCannot).find("Even without its largest part"), std::string::npos);
}

TEST(MicroBatch, AFixedMicroBatchIsTakenOrRefused) {
  MicroBatchProblem problem = problemOf(100, 4, 64);
  problem.fixedMicroBatch = 5;
  EXPECT_EQ(solveMicroBatch(problem).classes[0].microBatch, 5);
  EXPECT_EQ(solveMicroBatch(problem).classes[0].accumulation, 4);
  problem.fixedMicroBatch = 8;
  EXPECT_NE(messageOf(problem, kCannot).find("a micro-batch of 8 needs 110 B, 10 B more"), std::string::npos);
  EXPECT_NE(messageOf(problem, kCannot).find("The largest that fits is 7"), std::string::npos);
}

TEST(MicroBatch, WithoutAGlobalBatchThePhonesAreFilled) {
  MicroBatchProblem problem = problemOf(100, 4, 0);
  problem.learningRate = 0.1;
  const MicroBatchSolution solution = solveMicroBatch(problem);
  EXPECT_EQ(solution.classes[0].microBatch, 7);
  EXPECT_EQ(solution.globalBatch, 28);
  ASSERT_EQ(solution.warnings.size(), 1u);
  EXPECT_NE(solution.warnings[0].find("multiply it by 28 / N"), std::string::npos) << solution.warnings[0];
  EXPECT_EQ(solveMicroBatch(problemOf(1'000'000, 1, 0)).classes[0].microBatch, kDefaultMaxMicroBatch);
}

TEST(MicroBatch, TimePerImageThatIsFlatTakesTheLargest) {
  MicroBatchProblem problem = problemOf(1'000'000, 1, 0);
  problem.classes[0].seconds = [](int64_t b) { return double(b); };
  EXPECT_EQ(solveMicroBatch(problem).classes[0].microBatch, kDefaultMaxMicroBatch);
  problem.classes[0].seconds = [](int64_t b) { return b <= 32 ? double(b) : 1.2 * double(b); }; // cache too small
  EXPECT_EQ(solveMicroBatch(problem).classes[0].microBatch, 32);
  problem.globalBatch = 100;
  EXPECT_EQ(solveMicroBatch(problem).classes[0].microBatch, 25);
}

TEST(MicroBatch, AFastPhoneTakesMore) {
  MicroBatchProblem problem = problemOf(1000, 2, 40);
  problem.classes.push_back(device(1000));
  problem.classes[1].name = "fast";
  problem.classes[1].seconds = [](int64_t b) { return (2 + double(b)) / 3; };
  problem.classOf = {1, 0};
  MicroBatchSolution solution = solveMicroBatch(problem);
  EXPECT_EQ(std::accumulate(solution.shares.begin(), solution.shares.end(), int64_t(0)), 40);
  EXPECT_EQ(solution.shares[0], 31); // 33 / 3 s beside 11 s
  problem.globalBatch = 0;
  solution = solveMicroBatch(problem);
  EXPECT_EQ(solution.shares[0], 3 * solution.shares[1]);
  EXPECT_EQ(solution.globalBatch, 4 * solution.shares[1]);
}

TEST(MicroBatch, ASmallGlobalBatchLeavesPhonesIdle) {
  const MicroBatchSolution solution = solveMicroBatch(problemOf(1000, 4, 3));
  EXPECT_EQ(solution.shares, (std::vector<int64_t>{1, 1, 1, 0}));
  ASSERT_EQ(solution.warnings.size(), 1u);
  EXPECT_NE(solution.warnings[0].find("1 of 4 phones without a sample"), std::string::npos);
}

TEST(MicroBatch, BatchNormShapesThePlan) {
  MicroBatchProblem problem = problemOf(60, 1, 10); // 3 fit: 3, 3, 3 and 1
  EXPECT_EQ(solveMicroBatch(problem).classes[0].microBatch, 3);
  problem.batchNormMinimum = 2; // 2, 2, 2, 2 and 2: slower, but every call has two
  EXPECT_EQ(solveMicroBatch(problem).classes[0].microBatch, 2);
  EXPECT_TRUE(solveMicroBatch(problem).warnings.empty());
  problem.batchNormMinimum = 4;
  const MicroBatchSolution solution = solveMicroBatch(problem);
  ASSERT_EQ(solution.warnings.size(), 1u);
  EXPECT_NE(solution.warnings[0].find("fewer than the 4 that BatchNorm"), std::string::npos);
}

TEST(MicroBatch, RefusesWhatMakesNoSense) {
  EXPECT_THROW(solveMicroBatch(problemOf(100, 0, 64)), Error);
  EXPECT_THROW(solveMicroBatch(problemOf(100, 1, -1)), Error);
  MicroBatchProblem problem = problemOf(100, 1, 64);
  problem.classOf = {1};
  EXPECT_THROW(solveMicroBatch(problem), Error);
}

TEST(MicroBatch, FuzzAgainstEveryMicroBatch) {
  fuzz(1, [](Random &random) {
    MicroBatchProblem problem = problemOf(random.integer(40, 700), int(random.integer(1, 3)), random.integer(1, 80));
    const double perCall = random.real(0, 5), perSample = random.real(0.1, 2);
    const int64_t wide = random.integer(1, 8); // kernels do `wide` samples at once
    problem.classes[0].seconds = [=](int64_t b) { return perCall + perSample * double((b + wide - 1) / wide); };
    const int64_t wobble = random.integer(1, 3); // the arena's heuristics are not quite monotone
    problem.classes[0].memory = [=](int64_t b) {
      MemoryBreakdown memory;
      memory.activations = 10 * b + (b % 5 == 0 ? wobble : 0);
      return memory;
    };
    const MicroBatchSolution solution = solveMicroBatch(problem);
    const ClassBatch &batch = solution.classes[0];
    EXPECT_LE(batch.memory.peak(), problem.classes[0].memoryLimit);
    EXPECT_EQ(batch.memory, problem.classes[0].memory(batch.microBatch));
    EXPECT_EQ(std::accumulate(solution.shares.begin(), solution.shares.end(), int64_t(0)), problem.globalBatch);
    double best = std::numeric_limits<double>::infinity();
    for (int64_t b = 1; b <= batch.samples; ++b)
      if (problem.classes[0].memory(b).peak() <= problem.classes[0].memoryLimit)
        best = std::min(best, shareComputeSeconds(problem.classes[0], batch.samples, b));
    // Calls need not be of nearly equal size in this model of time; equal ones are close to the best all the same.
    EXPECT_LE(batch.seconds, 1.001 * best + perSample * double(batch.accumulation));
  });
}

} // namespace
} // namespace partyline::planner
