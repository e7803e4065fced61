//===- ir/ops/sgd.cpp - stochastic gradient descent -----------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

LogicalResult SgdOp::verify() {
  if (failed(verifyNotNegative(*this, "weight_decay", getWeightDecay())))
    return failure();
  return verifyFraction(*this, "momentum", getMomentum());
}

UpdateKernelCall SgdOp::getUpdateKernel() {
  double momentum = getMomentum().convertToDouble();
  UpdateKernelCall call;
  call.kernel = {"sgd", {{"momentum", int64_t(momentum != 0)}}};
  call.scalars = {fromCall(KernelScalar::Source::learningRate)};
  if (momentum != 0)
    call.scalars.push_back(constantFloat(momentum));
  call.scalars.push_back(constantFloat(getWeightDecay().convertToDouble()));
  call.slots = {UpdateKernelCall::gradient, UpdateKernelCall::weight};
  if (momentum != 0)
    call.slots.push_back(0);
  // In-place buffers are passed as inputs and again as outputs.
  call.slots.push_back(UpdateKernelCall::weight);
  if (momentum != 0)
    call.slots.push_back(0);
  return call;
}

} // namespace partyline::party
