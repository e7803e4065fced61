//===- codegen/kernels/moving_average.cpp - running statistics ------------===//
//
// running = rate running + (1 - rate) gradient: how the running mean and variance of BatchNorm move once per step,
// towards the batch statistics that ranks exchange like gradients. Strict, as in sgd.cpp: replicas stay identical.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/elementwise.h"

using namespace Halide;

namespace partyline::kernels {
namespace moving_average_family {

Kernel buildMovingAverage(const Parameters &, const Target &target) {
  Param<float> rate("rate");
  Kernel kernel = elementwiseKernel({"gradient", "running"}, target,
                                    [&](const std::vector<Expr> &in) { return rate * in[1] + (1.0f - rate) * in[0]; });
  kernel.arguments.insert(kernel.arguments.begin(), rate);
  return kernel;
}

RegisterKernel movingAverage("moving_average", {}, buildMovingAverage);

} // namespace moving_average_family
} // namespace partyline::kernels
