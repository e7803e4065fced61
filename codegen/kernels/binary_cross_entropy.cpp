//===- codegen/kernels/binary_cross_entropy.cpp - loss of a score and its gradient -===//
//
// -t log sigmoid(x) - (1 - t) log(1 - sigmoid(x)) = max(x, 0) - x t + log(1 + exp(-|x|)): finite and exact for any x.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/element_loss.h"
#include "codegen/kernels/vector_math.h"

using namespace Halide;

namespace partyline::kernels {
namespace binary_cross_entropy_family {

Kernel buildBinaryCrossEntropy(const Parameters &parameters, const Target &) {
  return elementLossKernel(
      parameters, [](Expr x, Expr t) { return (select(x < 0.0f, 0.0f, x) - x * t) + vectorLog1p(vectorExp(-abs(x))); });
}

Kernel buildBinaryCrossEntropyGradient(const Parameters &, const Target &target) {
  return elementLossGradientKernel(target, [](Expr x, Expr t) { return vectorSigmoid(x) - t; });
}

RegisterKernel binaryCrossEntropy("binary_cross_entropy", {"elements"}, buildBinaryCrossEntropy);
RegisterKernel binaryCrossEntropyGradient("binary_cross_entropy_gradient", {}, buildBinaryCrossEntropyGradient);

} // namespace binary_cross_entropy_family
} // namespace partyline::kernels
