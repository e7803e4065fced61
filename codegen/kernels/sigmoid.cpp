//===- codegen/kernels/sigmoid.cpp - 1/(1 + exp(-x)) and its gradient -----===//

#include "codegen/kernels/elementwise.h"
#include "codegen/kernels/vector_math.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

// y[E] = 1/(1 + exp(-x[E]))
Kernel buildSigmoid(const Parameters &, const Target &target) {
  return elementwiseKernel({"x"}, target, [](const std::vector<Expr> &in) { return vectorSigmoid(in[0]); });
}

// dx[E] = dy y (1 - y)
Kernel buildSigmoidGradient(const Parameters &, const Target &target) {
  return elementwiseKernel({"y", "dy"}, target,
                           [](const std::vector<Expr> &in) { return in[1] * (in[0] * (1.0f - in[0])); });
}

RegisterKernel sigmoid("sigmoid", {}, buildSigmoid);
RegisterKernel sigmoidGradient("sigmoid_gradient", {}, buildSigmoidGradient);

} // namespace
} // namespace partyline::kernels
