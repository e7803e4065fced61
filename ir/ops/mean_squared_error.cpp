//===- ir/ops/mean_squared_error.cpp - the mean squared error -------------===//
#include "ir/element_loss.h"

using namespace mlir;

namespace partyline::party {

LogicalResult MeanSquaredErrorOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                   SmallVectorImpl<Type> &types) {
  return inferElementLoss(location, adaptor.getOutput(), adaptor.getTargets(), types);
}

SmallVector<Value> MeanSquaredErrorOp::buildGradient(OpBuilder &builder, ValueRange) {
  return {builder.create<MeanSquaredErrorGradientOp>(getLoc(), getOutput(), getTargets()), Value()};
}

SmallVector<KernelCall> MeanSquaredErrorOp::getKernelCalls() {
  return {elementLossKernel(*this, "mean_squared_error")};
}

OpCost MeanSquaredErrorOp::getCost() { return elementLossCost(*this, 3); }

SmallVector<KernelCall> MeanSquaredErrorGradientOp::getKernelCalls() {
  return {elementLossGradientKernel(*this, "mean_squared_error_gradient", 2)};
}

} // namespace partyline::party
