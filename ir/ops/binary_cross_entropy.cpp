//===- ir/ops/binary_cross_entropy.cpp - binary cross-entropy of scores ---===//
#include "ir/element_loss.h"

using namespace mlir;

namespace partyline::party {

LogicalResult BinaryCrossEntropyOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  return inferElementLoss(location, adaptor.getLogits(), adaptor.getTargets(), types);
}

SmallVector<Value> BinaryCrossEntropyOp::buildGradient(OpBuilder &builder, ValueRange) {
  return {builder.create<BinaryCrossEntropyGradientOp>(getLoc(), getLogits(), getTargets()), Value()};
}

SmallVector<KernelCall> BinaryCrossEntropyOp::getKernelCalls() {
  return {elementLossKernel(*this, "binary_cross_entropy")};
}

OpCost BinaryCrossEntropyOp::getCost() { return elementLossCost(*this, 40); } // an exponential and a logarithm

SmallVector<KernelCall> BinaryCrossEntropyGradientOp::getKernelCalls() {
  return {elementLossGradientKernel(*this, "binary_cross_entropy_gradient")};
}

} // namespace partyline::party
