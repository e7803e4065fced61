//===- codegen/kernels/sgd.cpp - one step of stochastic gradient descent --===//
//
// PyTorch's: g += weight_decay weight; buffer = momentum buffer + g; weight -= learning_rate buffer (or g without
// momentum). Every rank computes this for itself, and phones are not alike: strict() forbids contracting to fused
// multiply-adds, so that the replicas stay identical to the bit on different CPUs.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/elementwise.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

Kernel buildSgd(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM. The outputs are the memory of the inputs, and one is stored before the other is computed: the
  // direction is held in registers, so that none is read after it has been written.
  Param<float> learningRate("learning_rate"), momentum("momentum"), weightDecay("weight_decay");
  ImageParam gradient = inputBuffer(1, "gradient"), weight = inputBuffer(1, "weight"),
             buffer = inputBuffer(1, "buffer");
  Var e("e");
  Func held("held"), result("result");
  const bool hasBuffer = parameters.integer("momentum") != 0;
  Expr direction = gradient(e) + weightDecay * weight(e);
  if (hasBuffer)
    direction = momentum * buffer(e) + direction;
  held(e) = strict(direction);
  Expr updated = strict(weight(e) - learningRate * held(e));
  if (hasBuffer)
    result(e) = Tuple(updated, held(e));
  else
    result(e) = updated;
  denseOutput(result);

  // THE SCHEDULE
  const int lanes = vectorLanes(target);
  scheduleElements(result, e, lanes);
  held.compute_at(result, Var("vector")).vectorize(e, lanes, guarded);
  if (hasBuffer)
    return {{learningRate, momentum, weightDecay, gradient, weight, buffer}, {result}};
  return {{learningRate, weightDecay, gradient, weight}, {result}};
}

RegisterKernel sgd("sgd", {"momentum"}, buildSgd);

} // namespace
} // namespace partyline::kernels
