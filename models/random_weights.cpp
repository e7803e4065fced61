#include "models/random_weights.h"

namespace partyline::models {

RandomWeights::RandomWeights(uint64_t seed, std::string_view name) : state(0xcbf29ce484222325u) {
  for (unsigned char c : name) // FNV-1a
    state = (state ^ c) * 0x100000001b3u;
  state += seed * 0xd1342543de82ef95u;
  next();
}

uint64_t RandomWeights::next() {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double RandomWeights::uniform() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }

double RandomWeights::normal() {
  double sum = 0;
  for (int i = 0; i < 12; ++i)
    sum += uniform();
  return sum / 2; // each in [-1, 1) has variance 1/3: twelve of them 4
}

} // namespace partyline::models
