//===- planner/shares.cpp - how many samples each phone gets --------------===//
#include "passes/planner/shares.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <queue>
#include <tuple>

namespace partyline::planner {
namespace {

void check(const ShareProblem &problem) {
  if (problem.phones.empty())
    throw inputError("shares: no phones");
  if (problem.globalBatch < 0 || problem.globalBatch > (int64_t(1) << 40))
    throw inputError(fmt::format("shares: global batch {} is not in 0..2^40", problem.globalBatch));
  for (size_t i = 0; i < problem.phones.size(); ++i) {
    const SharePhone &phone = problem.phones[i];
    for (double value : {phone.constant, phone.perMicroBatch, phone.perSample})
      if (!(value >= 0) || !std::isfinite(value))
        throw inputError(fmt::format("shares: phone {} has a time of {} s", i, value));
    if (phone.microBatch < 1)
      throw inputError(fmt::format("shares: phone {} has micro-batch {}", i, phone.microBatch));
  }
}

/// Most samples, up to `most`, that the phone does within this time. T is monotone in x, so bisection on the very
/// formula: no rounding of a closed form to reason about.
int64_t samplesWithin(const SharePhone &phone, double seconds, int64_t most) {
  int64_t low = 0, high = most;
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    if (shareSeconds(phone, middle) <= seconds)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

} // namespace

double shareSeconds(const SharePhone &phone, int64_t samples) {
  const int64_t microBatches = (samples + phone.microBatch - 1) / phone.microBatch;
  return phone.constant + phone.perMicroBatch * double(microBatches) + phone.perSample * double(samples);
}

ShareSolution solveShares(const ShareProblem &problem) {
  check(problem);
  const int64_t batch = problem.globalBatch;
  auto enough = [&](double seconds) {
    int64_t total = 0;
    for (const SharePhone &phone : problem.phones)
      if ((total += samplesWithin(phone, seconds, batch)) >= batch)
        return true;
    return false;
  };
  double low = 0, high = std::numeric_limits<double>::infinity();
  for (const SharePhone &phone : problem.phones) {
    low = std::max(low, phone.constant); // a phone without samples still takes part
    high = std::min(high, shareSeconds(phone, batch));
  }
  high = std::max(low, high);
  if (enough(low))
    high = low;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high)
      break;
    (enough(middle) ? high : low) = middle;
  }

  ShareSolution solution;
  int64_t surplus = -batch;
  for (const SharePhone &phone : problem.phones) {
    solution.samples.push_back(samplesWithin(phone, high, batch));
    surplus += solution.samples.back();
  }
  // The slowest phone gives first; among equally slow ones the one with the most samples, then the last.
  using Giver = std::tuple<double, int64_t, size_t>;
  std::priority_queue<Giver> givers;
  for (size_t i = 0; i < problem.phones.size(); ++i)
    if (solution.samples[i] > 0)
      givers.emplace(shareSeconds(problem.phones[i], solution.samples[i]), solution.samples[i], i);
  for (; surplus > 0; --surplus) {
    const size_t i = std::get<size_t>(givers.top());
    givers.pop();
    if (--solution.samples[i] > 0)
      givers.emplace(shareSeconds(problem.phones[i], solution.samples[i]), solution.samples[i], i);
  }
  for (size_t i = 0; i < problem.phones.size(); ++i)
    solution.seconds = std::max(solution.seconds, shareSeconds(problem.phones[i], solution.samples[i]));
  return solution;
}

std::optional<std::string> validateShares(const ShareProblem &problem, const ShareSolution &solution) {
  if (solution.samples.size() != problem.phones.size())
    return fmt::format("{} shares for {} phones", solution.samples.size(), problem.phones.size());
  int64_t total = 0;
  double slowest = 0;
  for (size_t i = 0; i < problem.phones.size(); ++i) {
    if (solution.samples[i] < 0)
      return fmt::format("phone {} has {} samples", i, solution.samples[i]);
    total += solution.samples[i];
    slowest = std::max(slowest, shareSeconds(problem.phones[i], solution.samples[i]));
  }
  if (total != problem.globalBatch)
    return fmt::format("shares add up to {}, not to the global batch {}", total, problem.globalBatch);
  if (slowest != solution.seconds)
    return fmt::format("the slowest phone takes {} s, not {} s", slowest, solution.seconds);
  return std::nullopt;
}

} // namespace partyline::planner
