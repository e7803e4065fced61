//===- codegen/kernels/power.cpp - x^p for a constant p -------------------===//
//
// y[E] = x^p; dx[E] = dy p x^(p - 1), with p the parameter `exponent`. Where p is a small multiple of 1/4, x^p is made
// of multiplications and square roots; elsewhere it is exp(p log(x)), the product in double precision: its error, times
// |p log(x)|, is what the result is wrong by.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/elementwise.h"
#include "codegen/kernels/vector_math.h"

#include <cmath>

using namespace Halide;

namespace partyline::kernels {
namespace {

bool isInteger(double p) { return p == std::floor(p); }

// x^p for p >= 0, a multiple of 1/4.
Expr powerOfQuarters(Expr x, double p) {
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
Expr doubleLog(Expr x) {
  FloatParts parts(x);
  Expr m = cast<double>(parts.mantissa), one = Expr(1.0), t = (m - one) / (m + one), s = t * t, sum = Expr(1.0 / 13);
  for (int n = 11; n >= 1; n -= 2)
    sum = sum * s + Expr(1.0 / n);
  return cast<double>(parts.k) * Expr(M_LN2) + Expr(2.0) * t * sum;
}

// exp(z) of a double, rounded to float.
Expr expOfDouble(Expr z) {
  Expr isLow = z<Expr(double(lowestExp)), isHigh = z> Expr(double(highestExp));
  Expr bounded = select(isLow, Expr(double(lowestExp)), isHigh, Expr(double(highestExp)), z);
  Expr k = cast<int>(bounded * Expr(M_LOG2E) + select(z < Expr(0.0), Expr(-0.5), Expr(0.5)));
  Expr r = cast<float>(bounded - cast<double>(k) * Expr(M_LN2));
  return select(isLow, 0.0f, isHigh, infinity, timesPowerOfTwo(expm1NearZero(r) + 1.0f, k));
}

Expr power(Expr x, double p) {
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

Kernel buildPower(const Parameters &parameters, const Target &target) {
  const double p = parameters.real("exponent");
  return elementwiseKernel({"x"}, target, [&](const std::vector<Expr> &in) { return power(in[0], p); });
}

// x^0 is 1 everywhere: its gradient is 0, also where x^-1 is infinite.
Kernel buildPowerGradient(const Parameters &parameters, const Target &target) {
  const double p = parameters.real("exponent");
  return elementwiseKernel({"x", "dy"}, target, [&](const std::vector<Expr> &in) {
    return p == 0 ? Expr(0.0f) : in[1] * (Expr(float(p)) * power(in[0], p - 1));
  });
}

RegisterKernel powerFamily("power", {"exponent"}, buildPower);
RegisterKernel powerGradient("power_gradient", {"exponent"}, buildPowerGradient);

} // namespace
} // namespace partyline::kernels
