//===- ir/ops/sgd.cpp - stochastic gradient descent -----------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

LogicalResult SgdOp::verify() {
  if (failed(verifyNotNegative(*this, "weight_decay", getWeightDecay())))
    return failure();
  return verifyFraction(*this, "momentum", getMomentum());
}

UpdateKernelCall SgdOp::getUpdateKernel() { return momentumStep("sgd", getMomentum(), getWeightDecay()); }

} // namespace partyline::party
