//===- tests/planner/packing_test.cpp -------------------------------------===//
#include "passes/planner/packing.h"
#include "runtime/shared/error.h"
#include "tests/planner/fuzz.h"

#include <ctime>
#include <fmt/format.h>
#include <limits>

namespace partyline::planner {
namespace {

AllreduceCost linearCost(double startUp, double perByte) {
  return [=](int64_t bytes) { return startUp + perByte * double(bytes); };
}

PackingProblem problemOf(std::vector<std::pair<int64_t, double>> tensors, AllreduceCost cost) {
  PackingProblem problem;
  for (const auto &[bytes, ready] : tensors)
    problem.tensors.push_back({fmt::format("t{}", problem.tensors.size()), bytes, ready});
  problem.cost = std::move(cost);
  return problem;
}

std::vector<int64_t> endsOf(const PackingSolution &solution) {
  std::vector<int64_t> ends;
  for (const Bucket &bucket : solution.buckets)
    ends.push_back(bucket.last);
  return ends;
}

/// The earliest end over all 2^(n-1) partitions.
double bruteForceEnd(const PackingProblem &problem) {
  const size_t n = problem.tensors.size();
  double best = std::numeric_limits<double>::infinity();
  for (uint32_t cuts = 0; cuts < (1u << (n - 1)); ++cuts) {
    std::vector<int64_t> ends;
    for (size_t j = 1; j < n; ++j)
      if (cuts >> (j - 1) & 1)
        ends.push_back(int64_t(j));
    ends.push_back(int64_t(n));
    best = std::min(best, pricePartition(problem, ends).end);
  }
  return best;
}

PackingProblem randomProblem(Random &random, int64_t most) {
  PackingProblem problem;
  double now = 0;
  for (int64_t j = random.integer(1, most); j > 0; --j) {
    now += random.oneIn(3) ? 0 : random.real(0, 2);
    const double late = random.oneIn(8) ? random.real(0, now) : now; // sometimes ready before its predecessor
    problem.tensors.push_back({"t", random.integer(0, 100), late});
  }
  const double startUp = random.real(0, 3), perByte = random.real(0, 0.05), step = random.real(0, 1);
  if (random.oneIn(2))
    problem.cost = linearCost(startUp, perByte);
  else // a jump, as at the rendezvous size
    problem.cost = [=](int64_t bytes) { return startUp + perByte * double(bytes) + (bytes > 120 ? step : 0); };
  return problem;
}

TEST(Packing, WorkedExample) {
  // 10 MB each, ready at 1, 2 and 3 s, 1 s + 0.1 s/MB: alone they would queue (1..3, 3..5, 5..7), all three wait for
  // the last (3..7); first alone, then two: 1..3, 3..6.
  const PackingProblem problem = problemOf({{10, 1}, {10, 2}, {10, 3}}, linearCost(1, 0.1));
  const PackingSolution solution = solvePacking(problem);
  EXPECT_DOUBLE_EQ(solution.end, 6);
  EXPECT_EQ(endsOf(solution), (std::vector<int64_t>{1, 3}));
  EXPECT_DOUBLE_EQ(pricePartition(problem, chunkWise(problem)).end, 7);
  EXPECT_DOUBLE_EQ(pricePartition(problem, oneBucket(problem)).end, 7);
  EXPECT_DOUBLE_EQ(solution.buckets[1].ready, 3);
  EXPECT_DOUBLE_EQ(solution.buckets[1].start, 3);
  EXPECT_EQ(solution.buckets[1].bytes, 20);
  EXPECT_EQ(solution.buckets[1].algorithm, "ring");
  EXPECT_EQ(validatePacking(problem, solution), std::nullopt);
}

TEST(Packing, BucketsAreMergedWhereThatDelaysNothing) {
  // The last gradient comes at 100: the first three have all the time of the world and need one message, not three.
  const PackingProblem problem = problemOf({{1, 1}, {1, 10}, {1, 20}, {1, 100}}, linearCost(1, 0));
  EXPECT_EQ(endsOf(solvePacking(problem)), (std::vector<int64_t>{4}));
  const PackingProblem costly = problemOf({{10, 1}, {10, 10}, {10, 20}, {10, 100}}, linearCost(1, 1));
  EXPECT_EQ(endsOf(solvePacking(costly)), (std::vector<int64_t>{3, 4}));
}

TEST(Packing, NothingAndOnePhone) {
  EXPECT_TRUE(solvePacking(problemOf({}, linearCost(1, 1))).buckets.empty());
  const PackingSolution alone = solvePacking(problemOf({{1, 1}, {1, 2}}, linearCost(0, 0)));
  EXPECT_EQ(alone.buckets.size(), 1u);
  EXPECT_EQ(alone.end, 2);
}

TEST(Packing, CapsAsInPyTorch) {
  const int64_t mebi = 1 << 20;
  // 0.5 + 0.5 reach 1 MiB; 20 + 10 reach 25 MiB; the rest stays below it.
  const PackingProblem problem =
      problemOf({{mebi / 2, 0}, {mebi / 2, 0}, {20 * mebi, 0}, {10 * mebi, 0}, {mebi, 0}, {mebi, 0}}, linearCost(1, 0));
  EXPECT_EQ(cappedBuckets(problem), (std::vector<int64_t>{2, 4, 6}));
}

TEST(Packing, GreedyMergeWaitsForWhatComesWithinAStartUp) {
  // Start-up 1: the second is ready 0.5 after the first could start: merged; the third 5 later: not.
  const PackingProblem problem = problemOf({{10, 1}, {10, 1.5}, {10, 6.5}}, linearCost(1, 0.01));
  EXPECT_EQ(mergedGradients(problem), (std::vector<int64_t>{2, 3}));
}

TEST(Packing, RefusesWhatMakesNoSense) {
  EXPECT_THROW(solvePacking(problemOf({{-1, 0}}, linearCost(1, 1))), Error);
  EXPECT_THROW(solvePacking(problemOf({{1, -1}}, linearCost(1, 1))), Error);
  EXPECT_THROW(solvePacking(problemOf({{1, std::numeric_limits<double>::infinity()}}, linearCost(1, 1))), Error);
}

TEST(Packing, ValidatorSeesWhatIsWrong) {
  const PackingProblem problem = problemOf({{10, 1}, {10, 2}, {10, 3}}, linearCost(1, 0.1));
  const PackingSolution good = solvePacking(problem);
  auto changed = [&](auto change) {
    PackingSolution bad = good;
    change(bad);
    return validatePacking(problem, bad).has_value();
  };
  EXPECT_TRUE(changed([](auto &s) { s.buckets.pop_back(); }));
  EXPECT_TRUE(changed([](auto &s) { s.buckets[1].start -= 1, s.buckets[1].end -= 1, s.end -= 1; }));
  EXPECT_TRUE(changed([](auto &s) { s.buckets[0].start -= 0.5, s.buckets[0].end -= 0.5; }));
  EXPECT_TRUE(changed([](auto &s) { s.buckets[1].end -= 1, s.end -= 1; }));
  EXPECT_TRUE(changed([](auto &s) { s.buckets[0].bytes += 1; }));
  EXPECT_TRUE(changed([](auto &s) { s.buckets[1].first = 0; }));
  EXPECT_TRUE(changed([](auto &s) { s.end += 1; }));
}

TEST(Packing, FuzzAgainstBruteForce) {
  fuzz(2, [](Random &random) {
    const PackingProblem problem = randomProblem(random, 12);
    const PackingSolution solution = solvePacking(problem);
    EXPECT_EQ(validatePacking(problem, solution), std::nullopt);
    EXPECT_DOUBLE_EQ(solution.end, bruteForceEnd(problem));
  });
}

TEST(Packing, FuzzAgainstTheAlternatives) {
  fuzz(1, [](Random &random) {
    const PackingProblem problem = randomProblem(random, 120);
    const PackingAlternatives other = comparePackings(problem, problem.cost);
    const double slack = 1e-12 * other.planned;
    EXPECT_LE(other.planned, other.chunkWise + slack);
    EXPECT_LE(other.planned, other.oneBucket + slack);
    EXPECT_LE(other.planned, other.capped + slack);
    EXPECT_LE(other.planned, other.mergedGradients + slack);
    EXPECT_DOUBLE_EQ(other.mpiAllreduce, other.oneBucket); // the same cost here
    for (const auto &ends :
         {chunkWise(problem), oneBucket(problem), cappedBuckets(problem, 100, 500), mergedGradients(problem)})
      EXPECT_EQ(validatePacking(problem, pricePartition(problem, ends)), std::nullopt);
    EXPECT_EQ(validatePacking(problem, solvePacking(problem)), std::nullopt);
  });
}

TEST(Packing, ThreeThousandTensors) {
  Random random(1);
  NetworkModel network;
  network.latency = 1e-4;
  network.bandwidth = 125e6;
  network.switchOf.assign(138, 0);
  PackingProblem problem;
  double now = 0;
  for (int i = 0; i < 3000; ++i)
    problem.tensors.push_back({"t", random.integer(64, 200000), now += random.real(0, 1e-2)});
  problem.cost = ringAllreduce(network);
  const std::clock_t begin = std::clock(); // the process's own time: other tests may run beside it
  const PackingSolution solution = solvePacking(problem);
  const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(validatePacking(problem, solution), std::nullopt);
  EXPECT_LT(seconds, 2);
}

} // namespace
} // namespace partyline::planner
