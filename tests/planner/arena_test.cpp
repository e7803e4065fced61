//===- tests/planner/arena_test.cpp ---------------------------------------===//
#include "passes/planner/arena.h"
#include "passes/planner/planner_io.h"
#include "runtime/shared/error.h"
#include "tests/planner/fuzz.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <numeric>

namespace partyline::planner {
namespace {

ArenaProblem problemOf(std::vector<ArenaBuffer> buffers, int64_t alignment = 1) {
  return {std::move(buffers), alignment};
}

/// The lowest arena there is. Every arena pressed to the bottom is the first fit of its buffers by offset, so all
/// orders with first fit hold an optimum.
int64_t bruteForceHeight(const ArenaProblem &problem) {
  std::vector<int32_t> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t best = INT64_MAX;
  do
    best = std::min(best, placeInOrder(problem, order, ArenaFit::first).height);
  while (std::next_permutation(order.begin(), order.end()));
  return best;
}

/// The lowest arena whose offsets are any multiples of the alignment: shares nothing with the solver's placement.
bool exhaustivelyFits(const ArenaProblem &problem, std::vector<int64_t> &offsets, int64_t height) {
  const size_t next = offsets.size();
  if (next == problem.buffers.size())
    return true;
  const ArenaBuffer &buffer = problem.buffers[next];
  for (int64_t offset = 0; offset + buffer.size <= height; offset += problem.alignment) {
    bool free = true;
    for (size_t i = 0; i < next && free; ++i) {
      const ArenaBuffer &other = problem.buffers[i];
      free = other.upper <= buffer.lower || buffer.upper <= other.lower || offsets[i] + other.size <= offset ||
             offset + buffer.size <= offsets[i];
    }
    if (!free)
      continue;
    offsets.push_back(offset);
    if (exhaustivelyFits(problem, offsets, height))
      return true;
    offsets.pop_back();
  }
  return false;
}

ArenaProblem randomProblem(Random &random, int64_t mostBuffers, int64_t mostSize, int64_t alignment) {
  ArenaProblem problem;
  problem.alignment = alignment;
  const int64_t count = random.integer(1, mostBuffers);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t lower = random.integer(0, 10);
    problem.buffers.push_back({i, lower, lower + random.integer(1, 6), random.integer(0, mostSize)});
  }
  return problem;
}

TEST(Arena, EmptyProblemNeedsNothing) {
  const ArenaSolution solution = solveArena({});
  EXPECT_EQ(solution.height, 0);
  EXPECT_TRUE(solution.offsets.empty());
}

TEST(Arena, BuffersThatFollowEachOtherShareMemory) {
  // a [0,2) 100, b [1,3) 50, c [2,4) 100: a and c share, b beside them. 64 + 128 rounded up.
  const ArenaProblem problem = problemOf({{0, 0, 2, 100}, {1, 1, 3, 50}, {2, 2, 4, 100}}, 64);
  const ArenaSolution solution = solveArena(problem);
  EXPECT_EQ(solution.lowerBound, 192);
  EXPECT_EQ(solution.height, 192);
  EXPECT_EQ(validateArena(problem, solution), std::nullopt);
}

TEST(Arena, ValidatorSeesWhatIsWrong) {
  const ArenaProblem problem = problemOf({{7, 0, 2, 100}, {8, 1, 3, 50}, {9, 2, 4, 100}}, 10);
  auto wrong = [&](std::vector<int64_t> offsets, int64_t height) {
    return validateArena(problem, {std::move(offsets), height, 0, ""}).value_or("");
  };
  EXPECT_EQ(wrong({0, 100, 0}, 150), "");
  EXPECT_EQ(wrong({0, 90, 0}, 150), "buffers 7 and 8 live together at 1 and overlap");
  EXPECT_EQ(wrong({50, 0, 40}, 150), "buffers 8 and 9 live together at 2 and overlap");
  EXPECT_NE(wrong({0, 100, 0}, 140).find("above the arena's height"), std::string::npos);
  EXPECT_NE(wrong({0, 105, 0}, 155).find("no multiple"), std::string::npos);
  EXPECT_NE(wrong({0, -10, 0}, 150), "");
  EXPECT_NE(wrong({0, 100}, 150), "");
}

TEST(Arena, RefusesBuffersThatMakeNoSense) {
  EXPECT_THROW(solveArena(problemOf({{0, 2, 2, 8}})), Error);
  EXPECT_THROW(solveArena(problemOf({{0, 3, 2, 8}})), Error);
  EXPECT_THROW(solveArena(problemOf({{0, 0, 2, -8}})), Error);
  EXPECT_THROW(solveArena(problemOf({{0, 0, 2, 8}}, 0)), Error);
  EXPECT_THROW(solveArena(problemOf({{0, 0, 2, INT64_MAX}, {1, 0, 2, INT64_MAX}})), Error);
}

TEST(Arena, BruteForceAgreesWithExhaustiveOffsets) {
  fuzz(1, [](Random &random) {
    const ArenaProblem problem = randomProblem(random, 5, 5, random.integer(1, 2));
    const int64_t height = bruteForceHeight(problem);
    std::vector<int64_t> offsets;
    EXPECT_TRUE(exhaustivelyFits(problem, offsets, height));
    offsets.clear();
    // Heights count sizes rounded up: anything that fits in less than height - alignment + 1 would be lower.
    if (height > 0) {
      EXPECT_FALSE(exhaustivelyFits(problem, offsets, height - problem.alignment));
    }
  });
}

TEST(Arena, FuzzAgainstBruteForce) {
  int64_t cases = 0, optimal = 0;
  fuzz(2, [&](Random &random) {
    const ArenaProblem problem = randomProblem(random, 7, 20, random.oneIn(2) ? 1 : 8);
    const ArenaSolution solution = solveArena(problem, {.searchWork = 500'000});
    EXPECT_EQ(validateArena(problem, solution), std::nullopt);
    const int64_t best = bruteForceHeight(problem);
    EXPECT_LE(solution.lowerBound, best);
    EXPECT_GE(solution.height, best);
    ++cases;
    optimal += solution.height == best;
  });
  EXPECT_GE(double(optimal), 0.99 * double(cases)) << optimal << " of " << cases << " optimal";
}

TEST(Arena, LargeRandomProblemsAreValidAndRepeatable) {
  fuzz(2, [](Random &random) {
    ArenaProblem problem;
    for (int64_t i = 0; i < random.integer(50, 300); ++i) {
      const int64_t lower = random.integer(0, 200);
      problem.buffers.push_back({i, lower, lower + random.integer(1, 60), random.integer(0, 100000)});
    }
    const ArenaSolution solution = solveArena(problem, {.searchWork = 2'000'000});
    EXPECT_EQ(validateArena(problem, solution), std::nullopt);
    EXPECT_EQ(solveArena(problem, {.searchWork = 2'000'000}).offsets, solution.offsets);
    EXPECT_LE(solution.height, solveArena(problem, {.search = false}).height);
  });
}

TEST(Arena, OneOrderOfTwoThousandBuffersIsFast) {
  Random random(1);
  ArenaProblem problem;
  std::vector<int32_t> order;
  for (int32_t i = 0; i < 2000; ++i) {
    const int64_t lower = random.integer(0, 1000);
    problem.buffers.push_back({i, lower, lower + random.integer(1, 1000), random.integer(1, 1 << 20)});
    order.push_back(i);
  }
  for (ArenaFit fit : {ArenaFit::first, ArenaFit::best}) {
    const std::clock_t begin = std::clock(); // the process's own time: other tests may run beside it
    const ArenaSolution solution = placeInOrder(problem, order, fit);
    const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_EQ(validateArena(problem, solution), std::nullopt);
    EXPECT_LT(seconds, 1); // of a cubic one, half a minute; also with sanitizers
  }
}

/// Published sets, where the shared data is at hand.
class ArenaData : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    path = std::string(PARTYLINE_SHARED_DATA) + "/allocation/" + GetParam() + ".csv";
    if (!std::filesystem::exists(path))
      GTEST_SKIP() << "no " << path << ": the shared data is not part of the repository";
  }
  ArenaProblem read(int64_t alignment) const {
    std::ifstream stream(path);
    ArenaProblem problem = readArenaCsv(stream, path);
    problem.alignment = alignment;
    return problem;
  }
  void say(const ArenaProblem &problem, const ArenaSolution &solution) const {
    fmt::print("{}: {} buffers, height {}, {:.3f} % above the bound ({})\n", GetParam(), problem.buffers.size(),
               solution.height, 100 * (double(solution.height) / double(solution.lowerBound) - 1), solution.order);
  }
  std::string path;
};

class ArenaTrainingGraphs : public ArenaData {};
TEST_P(ArenaTrainingGraphs, WithinLessThanAPercentOfTheBound) {
  for (int64_t alignment : {1, 64}) {
    const ArenaProblem problem = read(alignment);
    const ArenaSolution solution = solveArena(problem);
    say(problem, solution);
    EXPECT_EQ(validateArena(problem, solution), std::nullopt);
    EXPECT_LE(double(solution.height), 1.008 * double(solution.lowerBound));
  }
}
INSTANTIATE_TEST_SUITE_P(Published, ArenaTrainingGraphs, testing::Values("resnet50_training", "iopddl_G_1"),
                         [](const auto &info) { return info.param; });

/// Without branch and bound these stay 9 to 40 % above their bound.
class ArenaChallenging : public ArenaData {};
TEST_P(ArenaChallenging, ValidAndWithinHalfOfTheBound) {
  const ArenaProblem problem = read(1);
  const ArenaSolution solution = solveArena(problem, {.searchWork = 100'000'000});
  say(problem, solution);
  EXPECT_EQ(validateArena(problem, solution), std::nullopt);
  EXPECT_LE(double(solution.height), 1.5 * double(solution.lowerBound));
}
INSTANTIATE_TEST_SUITE_P(Published, ArenaChallenging,
                         testing::Values("challenging/A", "challenging/B", "challenging/C", "challenging/D",
                                         "challenging/E", "challenging/F", "challenging/G", "challenging/H",
                                         "challenging/I", "challenging/J", "challenging/K"),
                         [](const auto &info) { return info.param.substr(info.param.size() - 1); });

} // namespace
} // namespace partyline::planner
