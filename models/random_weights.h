//===- models/random_weights.h - the same weights on every machine --------===//
//
// The standard library's distributions differ between implementations, and log and cos between C libraries. Here are
// only integer arithmetic, additions, multiplications and square roots: all exact or rounded as IEEE 754 says.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>

namespace partyline::models {

/// SplitMix64 (Steele, Lea, Flood 2014), started from a seed and a name.
class RandomWeights {
public:
  RandomWeights(uint64_t seed, std::string_view name);

  /// In [-1, 1).
  double uniform();
  /// Mean 0, variance 1: the sum of twelve uniform numbers (Irwin-Hall), never beyond +-6.
  double normal();

private:
  uint64_t next();
  uint64_t state;
};

} // namespace partyline::models
