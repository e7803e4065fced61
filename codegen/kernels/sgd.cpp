//===- codegen/kernels/sgd.cpp - one step of stochastic gradient descent --===//
//
// PyTorch's: g += weight_decay weight; buffer = momentum buffer + g; weight -= learning_rate buffer (or g without
// momentum).
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/momentum_step.h"

namespace partyline::kernels {
namespace sgd_family {

Kernel buildSgd(const Parameters &parameters, const Halide::Target &target) {
  return MomentumStep().kernel(parameters.integer("momentum") != 0, target);
}

RegisterKernel sgd("sgd", {"momentum"}, buildSgd);

} // namespace sgd_family
} // namespace partyline::kernels
