//===- ir/ops/adamw.cpp - Adam with decoupled weight decay ----------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

LogicalResult AdamwOp::verify() {
  for (auto [name, beta] : {std::pair("beta1", getBeta1()), std::pair("beta2", getBeta2())})
    if (double value = beta.convertToDouble(); !(value >= 0 && value < 1))
      return emitOpError(name) << " must be at least 0 and less than 1";
  if (!(getEpsilon().convertToDouble() > 0) || !getEpsilon().isFinite())
    return emitOpError("epsilon must be a positive number");
  return verifyNotNegative(*this, "weight_decay", getWeightDecay());
}

UpdateKernelCall AdamwOp::getUpdateKernel() {
  constexpr int firstMoment = 0, secondMoment = 1;
  UpdateKernelCall call;
  call.kernel = {"adamw",
                 {{"beta1", getBeta1().convertToDouble()},
                  {"beta2", getBeta2().convertToDouble()},
                  {"epsilon", getEpsilon().convertToDouble()}}};
  call.scalars = {fromCall(KernelScalar::Source::learningRate), constantFloat(getWeightDecay().convertToDouble()),
                  fromCall(KernelScalar::Source::step)};
  // In-place buffers are passed as inputs and again as outputs.
  call.slots = {UpdateKernelCall::gradient,
                UpdateKernelCall::weight,
                firstMoment,
                secondMoment,
                UpdateKernelCall::weight,
                firstMoment,
                secondMoment};
  return call;
}

} // namespace partyline::party
