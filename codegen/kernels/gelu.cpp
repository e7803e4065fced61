//===- codegen/kernels/gelu.cpp - Gaussian error linear units, exact and by tanh ---===//

#include "codegen/kernels/unary.h"
#include "codegen/kernels/vector_math.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace gelu_family {

// y[E] = x Phi(x); dx[E] = dy (Phi(x) + x phi(x)). Phi, the normal distribution function, by erfc: no cancellation.
Expr normalDistribution(Expr x) { return 0.5f * vectorErfc(x * -0.707106781f); }

RegisterUnary gelu(
    "gelu", [](Expr x) { return x * normalDistribution(x); },
    [](Expr x, Expr dy) { return dy * (normalDistribution(x) + x * (0.39894228f * vectorExp(-0.5f * x * x))); });

// y[E] = x/2 (1 + tanh(u)) = x s with s = sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3); dx[E] = dy (s + x s (1 - s)
// 2u')
constexpr float twoRootTwoOverPi = 1.59576912f, cubic = 0.044715f;

Expr twoU(Expr x) { return twoRootTwoOverPi * (x + cubic * x * x * x); }

RegisterUnary geluTanh(
    "gelu_tanh", [](Expr x) { return x * vectorSigmoid(twoU(x)); },
    [](Expr x, Expr dy) {
      Expr e = vectorExp(-Halide::abs(twoU(x))), slope = e / ((1.0f + e) * (1.0f + e)); // s (1 - s), not cancelling
      // Beyond 10 the slope is 0; the other factor must not be infinite.
      Expr near = select(x<-10.0f, -10.0f, x> 10.0f, 10.0f, x);
      return dy * (vectorSigmoid(twoU(x)) + slope * (twoRootTwoOverPi * near * (1.0f + 3 * cubic * near * near)));
    });

} // namespace gelu_family
} // namespace partyline::kernels
