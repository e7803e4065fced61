//===- ir/ops/cross_entropy.cpp - cross-entropy of class scores -----------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto logits = cast<RankedTensorType>(adaptor.getLogits().getType());
  if (logits.getRank() != 2)
    return emitOptionalError(location, "cross-entropy needs logits [batch, classes]");
  types.assign({floatTensor(context, {logits.getDimSize(0)}), logits});
  return success();
}

SmallVector<Value> CrossEntropyOp::buildGradient(OpBuilder &builder, ValueRange) {
  return {builder.create<CrossEntropyGradientOp>(getLoc(), getProbabilities(), getLabels()), Value()};
}

SmallVector<KernelCall> CrossEntropyOp::getKernelCalls() {
  KernelCall call;
  call.kernel = {"cross_entropy", {{"channels", getLogits().getType().getDimSize(1)}}};
  call.arguments = {denseArgument(getLogits()), flatArgument(getLabels()), flatArgument(getLoss()),
                    denseArgument(getProbabilities())};
  return {call};
}

OpCost CrossEntropyOp::getCost() { return {6.0 * double(elementCount(getLogits().getType()).perSample), 0}; }

LogicalResult CrossEntropyGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                       SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getProbabilities().getType());
  return success();
}

SmallVector<KernelCall> CrossEntropyGradientOp::getKernelCalls() {
  KernelCall call;
  call.kernel = {"cross_entropy_gradient", {{"channels", getType().getDimSize(1)}}};
  call.scalars = {fromCall(KernelScalar::Source::scale)};
  call.arguments = {denseArgument(getProbabilities()), flatArgument(getLabels()), denseArgument(getLogitsGradient())};
  call.inPlaceOver = getProbabilities();
  return {call};
}

} // namespace partyline::party
