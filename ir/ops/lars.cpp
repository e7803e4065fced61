//===- ir/ops/lars.cpp - layer-wise adaptive rate scaling -----------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

LogicalResult LarsOp::verify() {
  auto elements = int64_t(getElements());
  if (elements < 1 || elements > int64_t(getLast()) - int64_t(getFirst()))
    return emitOpError("elements must be those of a tensor inside of the range");
  if (!(getTrust().convertToDouble() > 0) || !getTrust().isFinite())
    return emitOpError("trust must be a positive number");
  if (failed(verifyNotNegative(*this, "weight_decay", getWeightDecay())))
    return failure();
  return verifyFraction(*this, "momentum", getMomentum());
}

UpdateKernelCall LarsOp::getUpdateKernel() {
  UpdateKernelCall call = momentumStep("lars", getMomentum(), getWeightDecay());
  call.scalars.push_back(constantFloat(getTrust().convertToDouble()));
  call.scalars.push_back(constantInt(int64_t(getElements())));
  return call;
}

} // namespace partyline::party
