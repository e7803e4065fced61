//===- codegen/kernels/leaky_relu.cpp - x, or alpha x where negative ------===//

#include "codegen/kernels/elementwise.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

// y[E] = x < 0 ? alpha x : x
Kernel buildLeakyRelu(const Parameters &, const Target &target) {
  Param<float> alpha("alpha");
  return elementwiseKernel(
      {"x"}, target, [&](const std::vector<Expr> &in) { return select(in[0] < 0.0f, alpha * in[0], in[0]); }, {alpha});
}

// dx[E] = y > 0 ? dy : alpha dy: at 0 PyTorch's choice
Kernel buildLeakyReluGradient(const Parameters &, const Target &target) {
  Param<float> alpha("alpha");
  return elementwiseKernel({"y", "dy"}, target,
                           [&](const std::vector<Expr> &in) { return select(in[0] <= 0.0f, alpha * in[1], in[1]); },
                           {alpha});
}

RegisterKernel forward("leaky_relu", {}, buildLeakyRelu);
RegisterKernel gradient("leaky_relu_gradient", {}, buildLeakyReluGradient);

} // namespace
} // namespace partyline::kernels
