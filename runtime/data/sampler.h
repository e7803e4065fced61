//===- sampler.h - the order of samples in an epoch -----------------------===//
//
// A pure function of (seed, epoch): every rank computes the same permutation, on every platform, and a resumed run
// continues the one it left. The generator is SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", OOPSLA 2014), started at mix(mix(seed) ^ epoch); numbers below n come from the upper 32 bits of its
// output by Lemire's method ("Fast random integer generation in an interval", 2019); the shuffle is Fisher-Yates from
// the last place to the second.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace partyline::runtime {

class Sampler {
public:
  /// Throws an Error unless 0 <= size < 2^32. Without shuffle every epoch is 0, 1, 2, ...
  Sampler(uint64_t seed, int64_t size, bool shuffle);

  int64_t size() const { return numberOfSamples; }

  /// The samples of an epoch in the order in which they are used.
  void permutation(int64_t epoch, std::vector<uint32_t> &order) const;

private:
  uint64_t seed;
  int64_t numberOfSamples;
  bool shuffle;
};

} // namespace partyline::runtime
