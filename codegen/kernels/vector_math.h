//===- codegen/kernels/vector_math.h - functions of libm in vectors -------===//
//
// Polynomials after the Cephes library (S. L. Moshier: expf.c, logf.c, tanhf.c, ndtrf.c), errors of 1 to 3 units in the
// last place. Written out because a call per lane into libm is slow and gives each platform's own bits. For use under
// strict(): the two-step argument reductions must not be rearranged.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <Halide.h>

#include <limits>
#include <vector>

namespace partyline::kernels {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float lowestExp = -87.33654f, highestExp = 88.72284f; // logarithms of the range of normal floats

/// The polynomial of these coefficients, the highest power's first.
inline Halide::Expr polynomial(Halide::Expr x, const std::vector<float> &coefficients) {
  Halide::Expr sum = coefficients.front();
  for (size_t i = 1; i < coefficients.size(); ++i)
    sum = sum * x + coefficients[i];
  return sum;
}

/// The nearest integer, one of two that are equally near. Rounded by hand: floor() is a libm call on the oldest x86.
inline Halide::Expr nearestInteger(Halide::Expr x) {
  return Halide::cast<int>(x + Halide::select(x < 0.0f, -0.5f, 0.5f));
}

/// exp(r) - 1 for |r| <= log(2)/2.
inline Halide::Expr expm1NearZero(Halide::Expr r) {
  Halide::Expr p = polynomial(
      r, {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f});
  return p * (r * r) + r;
}

/// x = k log(2) + r with |r| <= log(2)/2, for lowestExp <= x <= highestExp.
struct ExpArgument {
  Halide::Expr k, r;

  explicit ExpArgument(Halide::Expr x) : k(nearestInteger(x * 1.44269504088896341f)) {
    Halide::Expr kf = Halide::cast<float>(k);
    r = (x - kf * 0.693359375f) - kf * -2.12194440e-4f;
  }
};

/// x * 2^k for -252 <= k <= 254.
inline Halide::Expr timesPowerOfTwo(Halide::Expr x, Halide::Expr k) {
  auto power = [](Halide::Expr exponent) { return Halide::reinterpret<float>((exponent + 127) << 23); };
  return x * power(k >> 1) * power(k - (k >> 1)); // the power itself may be beyond the range of floats
}

/// exp(x); 0 below the range of normal floats.
inline Halide::Expr vectorExp(Halide::Expr x) {
  using namespace Halide;
  ExpArgument argument(select(x<lowestExp, lowestExp, x> highestExp, highestExp, x));
  Expr result = timesPowerOfTwo(expm1NearZero(argument.r) + 1.0f, argument.k);
  return select(x<lowestExp, 0.0f, x> highestExp, infinity, result);
}

/// exp(x) - 1 for x <= 88, with its relative accuracy near 0.
inline Halide::Expr vectorExpm1(Halide::Expr x) {
  using namespace Halide;
  ExpArgument argument(select(x < -20.0f, -20.0f, x)); // there it is -1 in f32
  Expr power = timesPowerOfTwo(1.0f, argument.k);
  return expm1NearZero(argument.r) * power + (power - 1.0f);
}

/// x = mantissa * 2^k with sqrt(1/2) <= mantissa < sqrt(2), for 0 < x < infinity.
struct FloatParts {
  Halide::Expr mantissa, k;

  explicit FloatParts(Halide::Expr x) {
    using namespace Halide;
    // Subnormal numbers are scaled into the normal ones.
    Expr isSubnormal = x < std::numeric_limits<float>::min();
    Expr bits = reinterpret<int>(select(isSubnormal, x * 8388608.0f, x));
    Expr exponent = (bits - 0x3f3504f3) >> 23; // counted from sqrt(1/2)
    mantissa = reinterpret<float>(bits - (exponent << 23));
    k = exponent - select(isSubnormal, 23, 0);
  }
};

/// The natural logarithm; -infinity at 0, NaN below.
inline Halide::Expr vectorLog(Halide::Expr x) {
  using namespace Halide;
  FloatParts parts(x);
  Expr kf = cast<float>(parts.k), f = parts.mantissa - 1.0f, s = f * f;
  Expr p = polynomial(f, {7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f,
                          -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f});
  Expr small = (p * f * s + kf * -2.12194440e-4f) - 0.5f * s;
  Expr result = (f + small) + kf * 0.693359375f;
  // 0 and below: -1/0 and 0/0. Infinity and NaN stay.
  return select(x > 0.0f && x < infinity, result, x == 0.0f, -infinity, x < 0.0f, (x - x) / (x - x), x);
}

/// log(1 + x) for x >= 0, with its relative accuracy near 0: the factor mends what 1 + x is rounded by (W. Kahan).
inline Halide::Expr vectorLog1p(Halide::Expr x) {
  Halide::Expr sum = 1.0f + x;
  return Halide::select(sum == 1.0f, x, vectorLog(sum) * (x / (sum - 1.0f)));
}

inline Halide::Expr vectorTanh(Halide::Expr x) {
  using namespace Halide;
  Expr magnitude = abs(x);
  // Near 0 an odd polynomial, which keeps the relative error; beyond 9.02 tanh is 1 in f32.
  Expr s = x * x;
  Expr p =
      polynomial(s, {-5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f, -3.33332819422e-1f});
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

/// erf(x) for |x| < 1.
inline Halide::Expr erfNearZero(Halide::Expr x) {
  return x * polynomial(x * x,
                        {7.853861353153693e-5f, -8.010193625184903e-4f, 5.188327685732524e-3f, -2.685381193529856e-2f,
                         1.128358514861418e-1f, -3.761262582423300e-1f, 1.128379165726710e+0f});
}

/// 1 - erf(x) for x >= 1: exp(-x^2)/x times a polynomial in 1/x^2.
inline Halide::Expr erfcFar(Halide::Expr x) {
  Halide::Expr inverse = 1.0f / x, s = inverse * inverse;
  Halide::Expr below2 = polynomial(s, {2.326819970068386e-2f, -1.387039388740657e-1f, 3.687424674597105e-1f,
                                       -5.824733027278666e-1f, 6.210004621745983e-1f, -4.944515323274145e-1f,
                                       3.404879937665872e-1f, -2.741127028184656e-1f, 5.638259427386472e-1f});
  Halide::Expr beyond2 =
      polynomial(s, {-1.047766399936249e+1f, 1.297719955372516e+1f, -7.495518717768503e+0f, 2.921019019210786e+0f,
                     -1.015265279202700e+0f, 4.218463358204948e-1f, -2.820767439740514e-1f, 5.641895067754075e-1f});
  return vectorExp(-x * x) * inverse * Halide::select(x < 2.0f, below2, beyond2);
}

inline Halide::Expr vectorErf(Halide::Expr x) {
  using namespace Halide;
  Expr far = 1.0f - erfcFar(abs(x));
  return select(abs(x) < 1.0f, erfNearZero(x), x < 0.0f, -far, far);
}

/// 1 - erf(x), without its cancellation where x is large.
inline Halide::Expr vectorErfc(Halide::Expr x) {
  using namespace Halide;
  Expr far = erfcFar(abs(x));
  return select(abs(x) < 1.0f, 1.0f - erfNearZero(x), x < 0.0f, 2.0f - far, far);
}

} // namespace partyline::kernels
