//===- codegen/kernels/mean_squared_error.cpp - (x - t)^2 and its gradient -===//

#include "codegen/kernels/element_loss.h"

using namespace Halide;

namespace partyline::kernels {
namespace mean_squared_error_family {

Kernel buildMeanSquaredError(const Parameters &parameters, const Target &) {
  return elementLossKernel(parameters, [](Expr x, Expr t) { return (x - t) * (x - t); });
}

// The 2 is in the factor.
Kernel buildMeanSquaredErrorGradient(const Parameters &, const Target &target) {
  return elementLossGradientKernel(target, [](Expr x, Expr t) { return x - t; });
}

RegisterKernel meanSquaredError("mean_squared_error", {"elements"}, buildMeanSquaredError);
RegisterKernel meanSquaredErrorGradient("mean_squared_error_gradient", {}, buildMeanSquaredErrorGradient);

} // namespace mean_squared_error_family
} // namespace partyline::kernels
