//===- codegen/kernels/vector_math.h - exp, log1p, tanh and sigmoid in vectors===//
//
// Polynomials after the Cephes library (S. L. Moshier: expf.c, tanhf.c), errors of 1 to 2 units in the last place.
// Written out because a call per lane into libm is slow and gives each platform's own bits. For use under strict():
// the two-step argument reduction must not be rearranged.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <Halide.h>

namespace partyline::kernels {

/// exp(x) for x <= 88; 0 below the range of normal floats; NaN stays NaN.
inline Halide::Expr vectorExp(Halide::Expr x) {
  using namespace Halide;
  const float lowest = -87.33654f; // log of the smallest normal float
  // x = k log(2) + r with |r| <= log(2)/2. Rounded by hand: floor() is a libm call on the oldest x86.
  Expr scaled = select(x < lowest, lowest, x) * 1.44269504088896341f;
  Expr k = cast<int>(scaled + select(scaled < 0.0f, -0.5f, 0.5f));
  Expr kf = cast<float>(k);
  Expr r = (x - kf * 0.693359375f) - kf * -2.12194440e-4f;
  Expr p = 1.9875691500e-4f * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = (p * (r * r) + r) + 1.0f;
  Expr power = reinterpret<float>((k + 127) << 23);
  return select(x < lowest, 0.0f, p * power);
}

/// log(1 + y) for 0 <= y <= 1: 2 artanh(s) with s = y/(2 + y) <= 1/3, whose series is cut where 3^-16/17 is nothing in
/// f32.
inline Halide::Expr vectorLog1p(Halide::Expr y) {
  using namespace Halide;
  Expr s = y / (2.0f + y), square = s * s;
  Expr p = 1.0f / 15;
  for (int power = 13; power >= 1; power -= 2)
    p = p * square + 1.0f / float(power);
  return 2.0f * (s * p);
}

inline Halide::Expr vectorTanh(Halide::Expr x) {
  using namespace Halide;
  Expr magnitude = abs(x);
  // Near 0 an odd polynomial, which keeps the relative error; beyond 9.02 tanh is 1 in f32.
  Expr s = x * x;
  Expr p = -5.70498872745e-3f * s + 2.06390887954e-2f;
  p = p * s - 5.37397155531e-2f;
  p = p * s + 1.33314422036e-1f;
  p = p * s - 3.33332819422e-1f;
  Expr nearZero = (p * s) * x + x;
  Expr bounded = select(magnitude > 10.0f, 10.0f, magnitude);
  Expr far = 1.0f - 2.0f / (vectorExp(bounded + bounded) + 1.0f);
  return select(magnitude < 0.625f, nearZero, select(x < 0.0f, -far, far));
}

/// 1/(1 + exp(-x)), from the exponential of a number <= 0 on either side, so that nothing overflows.
inline Halide::Expr vectorSigmoid(Halide::Expr x) {
  using namespace Halide;
  Expr e = vectorExp(-abs(x));
  return select(x < 0.0f, e, 1.0f) / (1.0f + e);
}

} // namespace partyline::kernels
