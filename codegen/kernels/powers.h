//===- codegen/kernels/powers.h - x^p in vectors for a constant p ---------===//
//
// Where p is a small multiple of 1/4, x^p is made of multiplications and square roots; elsewhere it is exp(p log(x)),
// the product in double precision: its error, times |p log(x)|, is what the result is wrong by.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/vector_math.h"

#include <cmath>

namespace partyline::kernels {

inline bool isInteger(double p) { return p == std::floor(p); }

// x^p for p >= 0, a multiple of 1/4.
inline Halide::Expr powerOfQuarters(Halide::Expr x, double p) {
  using namespace Halide;
  Expr result, square = x;
  auto times = [&](Expr factor) { result = result.defined() ? result * factor : factor; };
  for (int whole = int(p); whole > 0; whole /= 2, square = square * square)
    if (whole % 2)
      times(square);
  const int quarters = int(4 * (p - std::floor(p)));
  if (quarters & 2)
    times(sqrt(x));
  if (quarters & 1)
    times(sqrt(sqrt(x)));
  return result.defined() ? result : Expr(1.0f);
}

// log(x) in double precision, for 0 < x < infinity: log(m) = 2 artanh((m - 1)/(m + 1)) by its Taylor series, in which
// the argument is at most 0.172; what is left out is below 2e-12 of log(m).
inline Halide::Expr doubleLog(Halide::Expr x) {
  using namespace Halide;
  FloatParts parts(x);
  Expr m = cast<double>(parts.mantissa), one = Expr(1.0), t = (m - one) / (m + one), s = t * t, sum = Expr(1.0 / 13);
  for (int n = 11; n >= 1; n -= 2)
    sum = sum * s + Expr(1.0 / n);
  return cast<double>(parts.k) * Expr(M_LN2) + Expr(2.0) * t * sum;
}

// exp(z) of a double, rounded to float.
inline Halide::Expr expOfDouble(Halide::Expr z) {
  using namespace Halide;
  Expr isLow = z<Expr(double(lowestExp)), isHigh = z> Expr(double(highestExp));
  Expr bounded = select(isLow, Expr(double(lowestExp)), isHigh, Expr(double(highestExp)), z);
  Expr k = cast<int>(bounded * Expr(M_LOG2E) + select(z < Expr(0.0), Expr(-0.5), Expr(0.5)));
  Expr r = cast<float>(bounded - cast<double>(k) * Expr(M_LN2));
  return select(isLow, 0.0f, isHigh, infinity, timesPowerOfTwo(expm1NearZero(r) + 1.0f, k));
}

/// x^p; NaN where x is negative and p no integer.
inline Halide::Expr power(Halide::Expr x, double p) {
  using namespace Halide;
  constexpr double mostMultiplied = 8; // beyond, products lose more than four units in the last place
  if (isInteger(4 * p) && std::abs(p) <= mostMultiplied) {
    Expr magnitude = powerOfQuarters(x, std::abs(p));
    return p < 0 ? 1.0f / magnitude : magnitude;
  }
  const float atZero = p > 0 ? 0.0f : infinity, atInfinity = p > 0 ? infinity : 0.0f;
  Expr magnitude = abs(x), result = expOfDouble(doubleLog(magnitude) * Expr(p));
  result = select(magnitude == 0.0f, atZero, magnitude == infinity, atInfinity, result);
  Expr ofNegative = (x - x) / (x - x); // NaN
  if (isInteger(p))
    ofNegative = std::fmod(p, 2) == 0 ? result : -result;
  return select(x != x, x, x < 0.0f, ofNegative, result);
}

} // namespace partyline::kernels
