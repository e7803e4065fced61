//===- codegen/kernels/elu.cpp - exponential linear unit ------------------===//

#include "codegen/kernels/elementwise.h"
#include "codegen/kernels/vector_math.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

// y[E] = x < 0 ? alpha (exp(x) - 1) : x
Kernel buildElu(const Parameters &, const Target &target) {
  Param<float> alpha("alpha");
  return elementwiseKernel({"x"}, target,
                           [&](const std::vector<Expr> &in) {
                             return select(in[0] < 0.0f, alpha * (vectorExp(min(in[0], 0.0f)) - 1.0f), in[0]);
                           },
                           {alpha});
}

// dx[E] = y > 0 ? dy : (y + alpha) dy: at 0 PyTorch's choice
Kernel buildEluGradient(const Parameters &, const Target &target) {
  Param<float> alpha("alpha");
  return elementwiseKernel(
      {"y", "dy"}, target,
      [&](const std::vector<Expr> &in) { return select(in[0] <= 0.0f, (in[0] + alpha) * in[1], in[1]); }, {alpha});
}

RegisterKernel forward("elu", {}, buildElu);
RegisterKernel gradient("elu_gradient", {}, buildEluGradient);

} // namespace
} // namespace partyline::kernels
