//===- models/random_weights.h - the same weights on every machine --------===//
//
// The standard library's distributions differ between implementations, and log and cos between C libraries. Here are
// only integer arithmetic, additions, multiplications and square roots: all exact or rounded as IEEE 754 says.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace partyline::models {

/// How a weight is drawn.
enum class Initialization {
  /// Uniform in +-1/sqrt(fan in), the bias likewise: what PyTorch's Conv2d and Linear do by default.
  uniform,
  /// Normal with variance 2/(fan in), the bias zero: He et al. 2015, "Delving Deep into Rectifiers".
  he,
  /// Normal with standard deviation 0.01, the bias zero: Krizhevsky et al. 2012, and others, for last layers.
  smallNormal,
};

/// The values of the weight `name`: a function of (seed, name).
std::vector<float> drawWeights(uint64_t seed, std::string_view name, int64_t elements, int64_t fanIn,
                               Initialization initialization);

} // namespace partyline::models
