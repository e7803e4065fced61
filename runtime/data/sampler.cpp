//===- sampler.cpp --------------------------------------------------------===//
#include "runtime/data/sampler.h"

#include "runtime/shared/error.h"

#include <numeric>
#include <utility>

namespace partyline::runtime {

namespace {

/// SplitMix64's output function: a bijection of 64 bits.
uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

class SplitMix {
public:
  explicit SplitMix(uint64_t state) : state(state) {}

  /// A number in [0, bound), every one equally likely: bound >= 1.
  uint32_t below(uint32_t bound) {
    uint64_t product = uint64_t(next()) * bound;
    if (uint32_t(product) < bound)
      for (uint32_t least = -bound % bound; uint32_t(product) < least;)
        product = uint64_t(next()) * bound;
    return product >> 32;
  }

private:
  uint32_t next() { return mix(state += 0x9e3779b97f4a7c15ULL) >> 32; }
  uint64_t state;
};

} // namespace

Sampler::Sampler(uint64_t seed, int64_t size, bool shuffle) : seed(seed), numberOfSamples(size), shuffle(shuffle) {
  if (size < 0 || size > int64_t(UINT32_MAX))
    throw inputError("a dataset of " + std::to_string(size) + " samples: between 0 and 2^32 - 1 can be sampled");
}

void Sampler::permutation(int64_t epoch, std::vector<uint32_t> &order) const {
  order.resize(numberOfSamples);
  std::iota(order.begin(), order.end(), 0u);
  if (!shuffle)
    return;
  SplitMix random(mix(mix(seed) ^ uint64_t(epoch)));
  for (uint32_t i = numberOfSamples; i > 1; --i)
    std::swap(order[i - 1], order[random.below(i)]);
}

} // namespace partyline::runtime
