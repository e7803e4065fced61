//===- ir/ops/cross_entropy.cpp - cross-entropy of class scores -----------===//
#include "ir/class_loss.h"

using namespace mlir;

namespace partyline::party {

// Output 1 are the logarithms of the probabilities, as they would be without the loss.
void importSoftmaxCrossEntropyLoss(OnnxNodeImporter &importer) {
  const ImportedClassLoss loss = importClassLoss(importer);
  OpBuilder &builder = importer.builder;
  Location location = importer.location;
  importer.setLoss(builder
                       .create<CrossEntropyOp>(location, loss.scores, loss.labels, loss.weights,
                                               builder.getF64FloatAttr(0), loss.ignoreIndex, loss.reduction)
                       .getLoss());
  if (importer.numOutputs() < 2)
    return;
  Value logarithms = builder.create<LogSoftmaxOp>(location, loss.scores);
  if (SmallVector<int64_t> back = toChannelsFirst(importer.typeOf(logarithms).getRank()); !back.empty())
    logarithms = builder.create<TransposeOp>(location, logarithms, back);
  importer.setOutput(1, logarithms);
}

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto logits = cast<RankedTensorType>(adaptor.getLogits().getType());
  if (failed(verifyLabels(location, logits, adaptor.getLabels(), adaptor.getWeights())))
    return failure();
  types.assign({lossesType(adaptor.getLabels()), logits});
  return success();
}

LogicalResult CrossEntropyOp::verify() {
  if (!getLabelSmoothing().isZero() && (getWeights() || getIgnoreIndex()))
    return emitOpError("has label smoothing, and class weights or an ignore_index: it cannot have both");
  return failure(failed(verifyFraction(*this, "label_smoothing", getLabelSmoothing())) ||
                 failed(verifyReduction(*this, getReduction())));
}

LossReduction CrossEntropyOp::getLossReduction() { return {getReduction().str(), getIgnoreIndex(), getWeights()}; }

SmallVector<Value> CrossEntropyOp::buildGradient(OpBuilder &builder, ValueRange) {
  SmallVector<Value> gradients(getNumOperands());
  gradients[0] = builder.create<CrossEntropyGradientOp>(getLoc(), getProbabilities(), getLabels(), getWeights(),
                                                        getLabelSmoothingAttr(), getIgnoreIndexAttr());
  return gradients;
}

SmallVector<KernelCall> CrossEntropyOp::getKernelCalls() {
  KernelCall call =
      classLossKernel("cross_entropy", getLogits().getType().getShape().back(), getIgnoreIndex(), getWeights());
  call.kernel.parameters["smoothing"] = getLabelSmoothing().convertToDouble();
  call.arguments = {matrixArgument(getLogits())};
  addLabelArguments(call, getLabels(), getWeights());
  call.arguments.append({flatArgument(getLoss()), matrixArgument(getProbabilities())});
  return {call};
}

OpCost CrossEntropyOp::getCost() { return {6.0 * double(elementCount(getLogits().getType()).perSample), 0}; }

LogicalResult CrossEntropyGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                       SmallVectorImpl<Type> &types) {
  auto probabilities = cast<RankedTensorType>(adaptor.getProbabilities().getType());
  types.push_back(probabilities);
  return verifyLabels(location, probabilities, adaptor.getLabels(), adaptor.getWeights());
}

SmallVector<KernelCall> CrossEntropyGradientOp::getKernelCalls() {
  KernelCall call =
      classLossKernel("cross_entropy_gradient", getType().getShape().back(), getIgnoreIndex(), getWeights());
  call.kernel.parameters["smoothing"] = getLabelSmoothing().convertToDouble();
  call.scalars.insert(call.scalars.begin(), fromCall(KernelScalar::Source::scale));
  call.arguments = {matrixArgument(getProbabilities())};
  addLabelArguments(call, getLabels(), getWeights());
  call.arguments.push_back(matrixArgument(getLogitsGradient()));
  call.inPlaceOver = {getProbabilities()};
  return {call};
}

} // namespace partyline::party
