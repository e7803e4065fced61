//===- ir/ops/batch_norm.cpp - batch normalisation ------------------------===//
//
// Ioffe and Szegedy, "Batch Normalization", 2015. Kernels see a channels-last tensor as a matrix [rows, channels].
//
//===----------------------------------------------------------------------===//
#include "ir/elements.h"
#include "ir/op_helpers.h"

#include <cmath>

using namespace mlir;

namespace partyline::party {

void importBatchNormalization(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  auto type = importer.typeOf(input);
  if (type.getRank() < 2)
    importer.unsupported("the input has no channels");
  if (importer.intOr("spatial", 1) != 1)
    importer.unsupported("spatial = 0 (statistics per activation) cannot be trained");
  // Running statistics as outputs belong to the training form; nothing can use them, they move at the end of a step.
  OpBuilder &builder = importer.builder;
  Value scale = importer.parameter(1), bias = importer.parameter(2);
  Value mean = importer.state(3), variance = importer.state(4);
  for (Value value : {scale, bias, mean, variance})
    if (importer.typeOf(value).getShape() != ArrayRef<int64_t>(type.getDimSize(1)))
      importer.unsupported("scale, bias, mean and variance must have one value per channel");
  auto op = builder.create<BatchNormOp>(importer.location, input, scale, bias, mean, variance,
                                        builder.getF64FloatAttr(importer.floatOr("epsilon", 1e-5)),
                                        builder.getF64FloatAttr(importer.floatOr("momentum", 0.9)),
                                        type.getRank() == 2 ? builder.getUnitAttr() : UnitAttr());
  importer.setOutput(0, op.getOutput());
}

LogicalResult BatchNormOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.assign({adaptor.getInput().getType(), adaptor.getRunningMean().getType(), adaptor.getRunningMean().getType()});
  return success();
}

SmallVector<int64_t> BatchNormOp::getOperandPermutation(unsigned index) {
  return index == 0 ? toChannelsLast(getInput().getType().getRank()) : SmallVector<int64_t>{};
}
SmallVector<int64_t> BatchNormOp::getResultPermutation(unsigned index) { return getOperandPermutation(index); }

SmallVector<Value> BatchNormOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  auto parameters = builder.create<BatchNormParameterGradientOp>(getLoc(), getInput(), gradients[0], getMean(),
                                                                 getVariance(), getEpsilonAttr());
  Value input = builder.create<BatchNormInputGradientOp>(getLoc(), getInput(), gradients[0], getMean(), getVariance(),
                                                         getScale(), parameters.getScaleGradient(),
                                                         parameters.getBiasGradient(), getEpsilonAttr());
  return {input, parameters.getScaleGradient(), parameters.getBiasGradient(), Value(), Value()};
}

Value BatchNormOp::buildInference(OpBuilder &builder) {
  return builder.create<BatchNormInferenceOp>(getLoc(), getInput(), getScale(), getBias(), getRunningMean(),
                                              getRunningVariance(), getEpsilonAttr());
}

SmallVector<StateUpdate> BatchNormOp::getStateUpdates() {
  double rate = getMomentum().convertToDouble();
  int64_t values = elementCount(getInput().getType()).perSample / getMean().getType().getDimSize(0);
  return {{getRunningMean(), getMean(), rate}, {getRunningVariance(), getVariance(), rate, values}};
}

// What every form takes for granted: an epsilon that is a number, and vectors of one element per channel.
template <typename NormOp>
static LogicalResult verifyNorm(NormOp op, RankedTensorType input, ValueRange vectors, bool channelsLast = true) {
  double epsilon = op.getEpsilon().convertToDouble();
  if (!(epsilon >= 0 && std::isfinite(epsilon)))
    return op.emitOpError("epsilon must be a number that is not negative");
  if (input.getRank() < 2)
    return op.emitOpError("needs an input with channels, not ") << input;
  return verifyPerChannel(op.getLoc(), vectors, input.getDimSize(channelsLast ? input.getRank() - 1 : 1));
}

SmallVector<Value> BatchNormInferenceOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  auto parameters = builder.create<BatchNormParameterGradientOp>(getLoc(), getInput(), gradients[0], getMean(),
                                                                 getVariance(), getEpsilonAttr());
  Value input =
      builder.create<BatchNormInferenceGradientOp>(getLoc(), gradients[0], getVariance(), getScale(), getEpsilonAttr());
  return {input, parameters.getScaleGradient(), parameters.getBiasGradient(), Value(), Value()};
}

LogicalResult BatchNormOp::verify() {
  if (failed(verifyFraction(*this, "momentum", getMomentum())))
    return failure();
  return verifyNorm(*this, getInput().getType(), getOperands().drop_front(), getChannelsLast());
}

LogicalResult BatchNormInferenceOp::verify() {
  return verifyNorm(*this, getInput().getType(), getOperands().drop_front());
}

LogicalResult BatchNormInferenceGradientOp::verify() {
  return verifyNorm(*this, getOutputGradient().getType(), getOperands().drop_front());
}

// The gradients' first two operands: input and output gradient.
template <typename GradientOp> static LogicalResult verifyNormGradient(GradientOp op) {
  if (op.getInput().getType() != op.getOutputGradient().getType())
    return op.emitOpError("needs an output gradient of the input's type ") << op.getInput().getType();
  return verifyNorm(op, op.getInput().getType(), op->getOperands().drop_front(2));
}

LogicalResult BatchNormParameterGradientOp::verify() { return verifyNormGradient(*this); }

LogicalResult BatchNormInputGradientOp::verify() { return verifyNormGradient(*this); }

// About `factor` operations per element of `type`.
static OpCost costPerElement(RankedTensorType type, double factor) {
  return {factor * double(elementCount(type).perSample), 0};
}

SmallVector<Value> BatchNormOp::decompose(OpBuilder &builder) {
  auto statistics = builder.create<BatchNormStatisticsOp>(getLoc(), getInput());
  Value output = builder.create<BatchNormInferenceOp>(getLoc(), getInput(), getScale(), getBias(), statistics.getMean(),
                                                      statistics.getVariance(), getEpsilonAttr());
  return {output, statistics.getMean(), statistics.getVariance()};
}

LogicalResult BatchNormStatisticsOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  types.assign(2, floatTensor(context, input.getShape().back()));
  return success();
}

SmallVector<KernelCall> BatchNormStatisticsOp::getKernelCalls() {
  KernelCall call;
  call.kernel = {"batch_norm_statistics", {{"channels", getInput().getType().getShape().back()}}};
  call.arguments = {matrixArgument(getInput()), flatArgument(getMean()), flatArgument(getVariance())};
  return {call};
}

OpCost BatchNormStatisticsOp::getCost() { return costPerElement(getInput().getType(), 4); }

LogicalResult BatchNormInferenceOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

SmallVector<KernelCall> BatchNormInferenceOp::getKernelCalls() { return {elementsKernel(getOperation())}; }

OpCost BatchNormInferenceOp::getCost() { return costPerElement(getType(), 2); }

LogicalResult BatchNormInferenceGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                             SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getOutputGradient().getType());
  return success();
}

SmallVector<KernelCall> BatchNormInferenceGradientOp::getKernelCalls() { return {elementsKernel(getOperation())}; }

OpCost BatchNormInferenceGradientOp::getCost() { return costPerElement(getType(), 1); }

LogicalResult BatchNormParameterGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                             SmallVectorImpl<Type> &types) {
  types.assign(2, adaptor.getMean().getType());
  return success();
}

SmallVector<KernelCall> BatchNormParameterGradientOp::getKernelCalls() { return {elementsKernel(getOperation())}; }

bool BatchNormParameterGradientOp::sumsRows() { return true; }

OpCost BatchNormParameterGradientOp::getCost() { return costPerElement(getInput().getType(), 5); }

LogicalResult BatchNormInputGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                         SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

SmallVector<KernelCall> BatchNormInputGradientOp::getKernelCalls() { return {elementsKernel(getOperation())}; }

OpCost BatchNormInputGradientOp::getCost() { return costPerElement(getInput().getType(), 8); }

} // namespace partyline::party
