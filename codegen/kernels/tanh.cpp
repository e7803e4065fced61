//===- codegen/kernels/tanh.cpp - tanh and its gradient -------------------===//

#include "codegen/kernels/elementwise.h"
#include "codegen/kernels/vector_math.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

// y[E] = tanh(x[E])
Kernel buildTanh(const Parameters &, const Target &target) {
  return elementwiseKernel({"x"}, target, [](const std::vector<Expr> &in) { return vectorTanh(in[0]); });
}

// dx[E] = dy (1 - y^2), as a product of two factors: 1 - y^2 would lose digits where |y| is near 1
Kernel buildTanhGradient(const Parameters &, const Target &target) {
  return elementwiseKernel({"y", "dy"}, target,
                           [](const std::vector<Expr> &in) { return in[1] * ((1.0f - in[0]) * (1.0f + in[0])); });
}

RegisterKernel tanhForward("tanh", {}, buildTanh);
RegisterKernel tanhGradient("tanh_gradient", {}, buildTanhGradient);

} // namespace
} // namespace partyline::kernels
