//===- tests/planner/shares_test.cpp --------------------------------------===//
#include "passes/planner/shares.h"
#include "runtime/shared/error.h"
#include "tests/planner/fuzz.h"

#include <algorithm>
#include <limits>

namespace partyline::planner {
namespace {

/// The least time over all ways to hand out samples, by a dynamic program over phones.
double bruteForceSeconds(const ShareProblem &problem) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> best(problem.globalBatch + 1, infinity);
  best[0] = 0;
  for (const SharePhone &phone : problem.phones) {
    std::vector<double> next(best.size(), infinity);
    for (int64_t before = 0; before <= problem.globalBatch; ++before)
      for (int64_t x = 0; before + x <= problem.globalBatch; ++x)
        next[before + x] = std::min(next[before + x], std::max(best[before], shareSeconds(phone, x)));
    best = next;
  }
  return best.back();
}

TEST(Shares, EqualPhonesDifferByOneAtMost) {
  ShareProblem problem{std::vector<SharePhone>(4, {0, 0.01, 0.1, 8}), 10};
  const ShareSolution solution = solveShares(problem);
  EXPECT_EQ(solution.samples, (std::vector<int64_t>{3, 3, 2, 2}));
  EXPECT_EQ(validateShares(problem, solution), std::nullopt);
}

TEST(Shares, AFastPhoneTakesMore) {
  // 1 s and 3 s per sample, 8 samples: 6 and 2, both 6 s.
  const ShareSolution solution = solveShares({{{0, 0, 1, 8}, {0, 0, 3, 8}}, 8});
  EXPECT_EQ(solution.samples, (std::vector<int64_t>{6, 2}));
  EXPECT_EQ(solution.seconds, 6);
}

TEST(Shares, APhoneThatIsTooLateTakesNone) {
  const ShareSolution solution = solveShares({{{0, 0, 1, 4}, {100, 0, 1, 4}}, 8});
  EXPECT_EQ(solution.samples, (std::vector<int64_t>{8, 0}));
  EXPECT_EQ(solution.seconds, 100); // it still takes part
}

TEST(Shares, NoSamplesAtAll) {
  EXPECT_EQ(solveShares({{{0, 0, 1, 4}, {0, 0, 1, 4}}, 0}).samples, (std::vector<int64_t>{0, 0}));
}

TEST(Shares, RefusesWhatMakesNoSense) {
  EXPECT_THROW(solveShares({{}, 8}), Error);
  EXPECT_THROW(solveShares({{{0, 0, 1, 0}}, 8}), Error);
  EXPECT_THROW(solveShares({{{0, 0, -1, 1}}, 8}), Error);
  EXPECT_THROW(solveShares({{{0, 0, std::numeric_limits<double>::quiet_NaN(), 1}}, 8}), Error);
  EXPECT_THROW(solveShares({{{0, 0, 1, 1}}, -1}), Error);
}

TEST(Shares, ValidatorSeesWhatIsWrong) {
  const ShareProblem problem{{{0, 0, 1, 8}, {0, 0, 3, 8}}, 8};
  EXPECT_NE(validateShares(problem, {{6, 1}, 6}), std::nullopt);
  EXPECT_NE(validateShares(problem, {{9, -1}, 9}), std::nullopt);
  EXPECT_NE(validateShares(problem, {{6, 2}, 5}), std::nullopt);
  EXPECT_NE(validateShares(problem, {{8}, 8}), std::nullopt);
}

TEST(Shares, FuzzAgainstBruteForce) {
  fuzz(1, [](Random &random) {
    ShareProblem problem;
    for (int64_t i = random.integer(1, 5); i > 0; --i) {
      SharePhone phone;
      phone.constant = random.oneIn(3) ? random.real(0, 5) : 0;
      phone.perMicroBatch = random.oneIn(3) ? 0 : random.real(0, 2);
      phone.perSample = random.oneIn(5) ? 0 : random.oneIn(2) ? double(random.integer(1, 3)) : random.real(0.01, 2);
      phone.microBatch = random.integer(1, 6);
      problem.phones.push_back(phone);
      if (random.oneIn(2))
        problem.phones.push_back(phone); // ties
    }
    problem.globalBatch = random.integer(0, 40);
    const ShareSolution solution = solveShares(problem);
    EXPECT_EQ(validateShares(problem, solution), std::nullopt);
    EXPECT_DOUBLE_EQ(solution.seconds, bruteForceSeconds(problem));
  });
}

} // namespace
} // namespace partyline::planner
