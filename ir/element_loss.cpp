//===- ir/element_loss.cpp - losses that are means over a sample's elements -===//
#include "ir/element_loss.h"

using namespace mlir;

namespace partyline {

LogicalResult inferElementLoss(std::optional<Location> location, Value values, Value targets,
                               SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(values.getType());
  if (targets.getType() != type || !type.isDynamicDim(0))
    return emitOptionalError(location, "the loss needs values with a batch, and targets of their type, not ", type,
                             " and ", targets.getType());
  types.push_back(floatTensor(type.getContext(), {type.getDimSize(0)}));
  return success();
}

static int64_t elementsPerSample(Operation *op) {
  return elementCount(cast<RankedTensorType>(op->getOperand(0).getType())).perSample;
}

KernelCall elementLossKernel(Operation *op, StringRef family) {
  int64_t columns = cast<RankedTensorType>(op->getOperand(0).getType()).getRank() - 1;
  KernelCall call;
  call.kernel = {family.str(), {{"elements", elementsPerSample(op)}}};
  call.arguments = {matrixArgument(op->getOperand(0), columns), matrixArgument(op->getOperand(1), columns),
                    flatArgument(op->getResult(0))};
  return call;
}

KernelCall elementLossGradientKernel(Operation *op, StringRef family, double factor) {
  KernelCall call =
      flatKernel(op, family, op->getOperands(),
                 {fromCall(KernelScalar::Source::scale), constantFloat(factor / double(elementsPerSample(op)))});
  call.inPlaceOver = {op->getOperand(0)}; // the targets are the worker's
  return call;
}

OpCost elementLossCost(Operation *op, double operations) { return {operations * double(elementsPerSample(op)), 0}; }

} // namespace partyline
