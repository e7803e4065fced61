//===- codegen/kernels/relu.cpp - max(x, 0) and its gradient --------------===//

#include "codegen/kernels/elementwise.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

// y[E] = max(x[E], 0). Written as a selection so that NaN stays NaN: a diverging run must show.
Kernel buildRelu(const Parameters &, const Target &target) {
  return elementwiseKernel({"x"}, target,
                           [](const std::vector<Expr> &in) { return select(in[0] < 0.0f, 0.0f, in[0]); });
}

// dx[E] = y > 0 ? dy : 0; the output is mask enough.
Kernel buildReluGradient(const Parameters &, const Target &target) {
  return elementwiseKernel({"y", "dy"}, target,
                           [](const std::vector<Expr> &in) { return select(in[0] <= 0.0f, 0.0f, in[1]); });
}

RegisterKernel relu("relu", {}, buildRelu);
RegisterKernel reluGradient("relu_gradient", {}, buildReluGradient);

} // namespace
} // namespace partyline::kernels
