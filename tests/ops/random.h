//===- random.h - random numbers that are the same everywhere -------------===//
#pragma once

#include <cstdint>
#include <random>

namespace partyline::ops_test {

/// The standard fixes the generator but not its distributions, hence these.
class Random {
public:
  explicit Random(uint64_t seed) : generator(uint32_t(seed * 2654435761u + 1)) {}

  /// A float in [low, high).
  float real(double low, double high) { return float(low + (high - low) * double(generator() >> 8) / (1 << 24)); }

  /// An integer in [low, high].
  int64_t integer(int64_t low, int64_t high) { return low + int64_t(generator() % uint64_t(high - low + 1)); }

private:
  std::mt19937 generator;
};

} // namespace partyline::ops_test
