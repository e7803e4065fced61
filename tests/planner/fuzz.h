//===- tests/planner/fuzz.h - seeded random cases under a time budget -----===//
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

namespace partyline::planner {

/// Random numbers of one case. Not std::uniform_int_distribution: its results differ between libraries.
struct Random {
  std::mt19937_64 engine;
  explicit Random(uint64_t seed) : engine(seed) {}
  int64_t integer(int64_t low, int64_t high) { return low + int64_t(engine() % uint64_t(high - low + 1)); }
  double real(double low, double high) { return low + (high - low) * double(engine() >> 11) * 0x1p-53; }
  bool oneIn(int64_t n) { return integer(1, n) == 1; }
};

/// Runs cases with seeds 1, 2, ... for the budget, at least 20 of them, and stops at the first that fails, naming its
/// seed. PARTYLINE_FUZZ_SEED=N runs that one alone.
template <typename Case> void fuzz(double seconds, Case &&runCase) {
  const char *only = std::getenv("PARTYLINE_FUZZ_SEED");
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t first = only ? std::strtoull(only, nullptr, 10) : 1;
  for (uint64_t seed = first;; ++seed) {
    SCOPED_TRACE("PARTYLINE_FUZZ_SEED=" + std::to_string(seed));
    Random random(seed);
    runCase(random);
    if (testing::Test::HasFailure() || only)
      return;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    if (seed >= 20 && spent.count() > seconds)
      return;
  }
}

} // namespace partyline::planner
