//===- codegen/kernels/mish.cpp - x tanh(log(1 + exp(x))) -----------------===//

#include "codegen/kernels/unary.h"
#include "codegen/kernels/vector_math.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace mish_family {

// With e = exp(-|x|), which does not overflow: t = tanh(log(1 + exp(x))) = numerator/denominator, where
//   x < 0:   numerator = e (e + 2), denominator = numerator + 2
//   x >= 0:  numerator = 1 + 2e,    denominator = numerator + 2e^2
struct Mish {
  Expr e, numerator, rest;

  explicit Mish(Expr x) {
    e = vectorExp(-Halide::abs(x));
    numerator = select(x < 0.0f, e * (e + 2.0f), 1.0f + 2.0f * e);
    rest = 2.0f * select(x < 0.0f, 1.0f, e * e);
  }
  Expr tangent() const { return numerator / (numerator + rest); }
  Expr oneMinusTangent() const { return rest / (numerator + rest); } // without its cancellation
};

// y[E] = x t; dx[E] = dy (t + x (1 - t)(1 + t) sigmoid(x))
RegisterUnary family(
    "mish", [](Expr x) { return x * Mish(x).tangent(); },
    [](Expr x, Expr dy) {
      Mish mish(x);
      Expr sigmoid = select(x < 0.0f, mish.e, 1.0f) / (1.0f + mish.e);
      return dy * (mish.tangent() + x * mish.oneMinusTangent() * (1.0f + mish.tangent()) * sigmoid);
    });

} // namespace mish_family
} // namespace partyline::kernels
