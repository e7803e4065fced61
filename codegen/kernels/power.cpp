//===- codegen/kernels/power.cpp - x^p for a constant p -------------------===//
//
// y[E] = x^p; dx[E] = dy p x^(p - 1), with p the parameter `exponent`.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/elementwise.h"
#include "codegen/kernels/powers.h"

using namespace Halide;

namespace partyline::kernels {
namespace power_family {

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

} // namespace power_family
} // namespace partyline::kernels
