//===- planner/shares.h - how many samples each phone gets ----------------===//
//
// Phones of different speed share one global batch so that they finish together: min over shares of the slowest phone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partyline::planner {

/// A phone takes T(x) = constant + perMicroBatch * ceil(x / microBatch) + perSample * x seconds for x samples.
struct SharePhone {
  double constant = 0;
  double perMicroBatch = 0;
  double perSample = 0;
  int64_t microBatch = 1;
};

struct ShareProblem {
  std::vector<SharePhone> phones;
  int64_t globalBatch = 0; ///< samples to hand out
};

struct ShareSolution {
  std::vector<int64_t> samples; ///< per phone; their sum is the global batch
  double seconds = 0;           ///< of the slowest phone
};

double shareSeconds(const SharePhone &phone, int64_t samples);

/// Exact: bisection over T down to neighbouring doubles, then what is too much is taken from the slowest phones.
/// Equal phones get shares that differ by at most one where perSample > 0, the larger ones first.
ShareSolution solveShares(const ShareProblem &problem);

/// What is wrong with a solution, if anything.
std::optional<std::string> validateShares(const ShareProblem &problem, const ShareSolution &solution);

} // namespace partyline::planner
