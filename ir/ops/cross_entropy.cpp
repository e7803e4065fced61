//===- ir/ops/cross_entropy.cpp - cross-entropy of class scores -----------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

// Whether there is one label for every row of scores.
static LogicalResult verifyLabels(std::optional<Location> location, RankedTensorType scores, RankedTensorType labels) {
  if (scores.getRank() != 2 || labels.getShape() != scores.getShape().take_front(1))
    return emitOptionalError(location, "cross-entropy needs scores [batch, classes] and labels [batch], not ", scores,
                             " and ", labels);
  return success();
}

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto logits = cast<RankedTensorType>(adaptor.getLogits().getType());
  if (failed(verifyLabels(location, logits, cast<RankedTensorType>(adaptor.getLabels().getType()))))
    return failure();
  types.assign({floatTensor(context, {logits.getDimSize(0)}), logits});
  return success();
}

LogicalResult CrossEntropyOp::verify() { return verifyFraction(*this, "label_smoothing", getLabelSmoothing()); }

SmallVector<Value> CrossEntropyOp::buildGradient(OpBuilder &builder, ValueRange) {
  return {builder.create<CrossEntropyGradientOp>(getLoc(), getProbabilities(), getLabels(), getLabelSmoothingAttr()),
          Value()};
}

SmallVector<KernelCall> CrossEntropyOp::getKernelCalls() {
  KernelCall call;
  call.kernel = {
      "cross_entropy",
      {{"channels", getLogits().getType().getDimSize(1)}, {"smoothing", getLabelSmoothing().convertToDouble()}}};
  call.arguments = {denseArgument(getLogits()), flatArgument(getLabels()), flatArgument(getLoss()),
                    denseArgument(getProbabilities())};
  return {call};
}

OpCost CrossEntropyOp::getCost() { return {6.0 * double(elementCount(getLogits().getType()).perSample), 0}; }

LogicalResult CrossEntropyGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                       SmallVectorImpl<Type> &types) {
  auto probabilities = cast<RankedTensorType>(adaptor.getProbabilities().getType());
  types.push_back(probabilities);
  return verifyLabels(location, probabilities, cast<RankedTensorType>(adaptor.getLabels().getType()));
}

SmallVector<KernelCall> CrossEntropyGradientOp::getKernelCalls() {
  KernelCall call;
  call.kernel = {"cross_entropy_gradient",
                 {{"channels", getType().getDimSize(1)}, {"smoothing", getLabelSmoothing().convertToDouble()}}};
  call.scalars = {fromCall(KernelScalar::Source::scale)};
  call.arguments = {denseArgument(getProbabilities()), flatArgument(getLabels()), denseArgument(getLogitsGradient())};
  call.inPlaceOver = getProbabilities();
  return {call};
}

} // namespace partyline::party
