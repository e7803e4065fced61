#include "models/random_weights.h"

#include <cmath>

namespace partyline::models {

namespace {

/// SplitMix64 (Steele, Lea, Flood 2014), started from a seed and a name.
class RandomNumbers {
public:
  RandomNumbers(uint64_t seed, std::string_view name) : state(0xcbf29ce484222325u) {
    for (unsigned char c : name) // FNV-1a
      state = (state ^ c) * 0x100000001b3u;
    state += seed * 0xd1342543de82ef95u;
    next();
  }

  /// In [-1, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }

  /// Mean 0, variance 1: the sum of twelve uniform numbers (Irwin-Hall), never beyond +-6.
  double normal() {
    double sum = 0;
    for (int i = 0; i < 12; ++i)
      sum += uniform();
    return sum / 2; // each in [-1, 1) has variance 1/3: twelve of them 4
  }

private:
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  uint64_t state;
};

} // namespace

std::vector<float> drawWeights(uint64_t seed, std::string_view name, int64_t elements, int64_t fanIn,
                               Initialization initialization) {
  RandomNumbers random(seed, name);
  std::vector<float> values(elements);
  double inverse = 1.0 / static_cast<double>(fanIn);
  for (float &value : values) {
    switch (initialization) {
    case Initialization::uniform:
      value = static_cast<float>(random.uniform() * std::sqrt(inverse));
      break;
    case Initialization::he:
      value = static_cast<float>(random.normal() * std::sqrt(2 * inverse));
      break;
    case Initialization::smallNormal:
      value = static_cast<float>(random.normal() * 0.01);
      break;
    }
  }
  return values;
}

} // namespace partyline::models
