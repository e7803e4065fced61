//===- ir/ops/conv.cpp - two-dimensional convolution ----------------------===//
#include "ir/convolution.h"
#include "ir/window_import.h"

using namespace mlir;

namespace partyline::party {

void importConv(OnnxNodeImporter &importer) {
  Value input = importer.data(0), weight = importer.parameter(1);
  auto inputType = importer.typeOf(input), weightType = importer.typeOf(weight);
  if (inputType.getRank() != weightType.getRank())
    importer.unsupported("the weight's rank is not the input's");
  if (!weightType.hasStaticShape())
    importer.unsupported("the weight must not depend on the batch");
  int64_t groups = importer.intOr("group", 1);
  if (groups < 1 || inputType.getDimSize(1) != weightType.getDimSize(1) * groups || weightType.getDimSize(0) % groups)
    importer.unsupported("the weight's channels do not agree with the input's and the groups");
  Value bias = importer.hasInput(2) ? importer.parameter(2) : Value();
  if (bias && importer.typeOf(bias).getShape() != ArrayRef<int64_t>(weightType.getDimSize(0)))
    importer.unsupported("the bias must have one value per output channel");
  WindowImport slid(importer, input, weightType.getShape().drop_front(2));
  SmallVector<int64_t> kernel(weightType.getShape().take_front(2));
  llvm::append_range(kernel, slid.kernel());
  weight = importer.builder.createOrFold<ReshapeOp>(importer.location,
                                                    floatTensor(importer.builder.getContext(), kernel), weight);
  Value output = importer.builder.create<ConvOp>(importer.location, slid.image(), weight, bias, slid.strides(),
                                                 slid.pads(), slid.dilations(), groups, false);
  importer.setOutput(0, slid.restored(output));
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto output = convolvedType(location, convolutionOf(adaptor), cast<RankedTensorType>(adaptor.getInput().getType()),
                              cast<RankedTensorType>(adaptor.getWeight().getType()), adaptor.getChannelsLast());
  if (failed(output))
    return failure();
  types.push_back(*output);
  int64_t channels = output->getDimSize(adaptor.getChannelsLast() ? 3 : 1);
  return adaptor.getBias() ? verifyPerChannel(location, adaptor.getBias(), channels) : success();
}

SmallVector<int64_t> ConvOp::getOperandPermutation(unsigned index) {
  if (index == 0)
    return toChannelsLast(4);
  return index == 1 ? SmallVector<int64_t>{2, 3, 1, 0} : SmallVector<int64_t>{}; // OIHW -> HWIO
}

SmallVector<int64_t> ConvOp::getResultPermutation(unsigned) { return toChannelsLast(4); }

SmallVector<Value> ConvOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  auto input = getInput().getType(), weight = getWeight().getType();
  Value output = gradients[0];
  Value weightGradient = builder.create<ConvWeightGradientOp>(getLoc(), getInput(), output, weight.getShape(),
                                                              getStrides(), getPads(), getDilations(), getGroups());
  SmallVector<Value> result = {Value(), weightGradient};
  if (getBias())
    result.push_back(builder.create<SumToOp>(getLoc(), getBias().getType(), output));
  result[0] = builder.create<ConvInputGradientOp>(getLoc(), output, getWeight(), input.getShape().drop_front(),
                                                  getStrides(), getPads(), getDilations(), getGroups());
  return result;
}

SmallVector<KernelCall> ConvOp::getKernelCalls() {
  KernelCall call;
  call.kernel =
      convolutionKernel("conv2d", convolutionOf(*this), getInput().getType(), getWeight().getType(), getType());
  call.kernel.parameters["bias"] = int64_t(getBias() ? 1 : 0);
  for (Value operand : getOperands())
    call.arguments.push_back(denseArgument(operand));
  call.arguments.push_back(denseArgument(getOutput()));
  return {call};
}

OpCost ConvOp::getCost() { return convolutionCost(getWeight().getType(), getType()); }

LogicalResult ConvInputGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                    SmallVectorImpl<Type> &types) {
  return inferInputGradient(location, adaptor.getOutputGradient(), adaptor.getInputShape(), types);
}

LogicalResult ConvInputGradientOp::verify() {
  return verifyConvolved(*this, convolutionOf(*this), getType(), getWeight().getType(), getOutputGradient().getType());
}

SmallVector<KernelCall> ConvInputGradientOp::getKernelCalls() {
  KernelCall call;
  call.kernel = convolutionKernel("conv2d_input_gradient", convolutionOf(*this), getType(), getWeight().getType(),
                                  getOutputGradient().getType());
  call.arguments = {denseArgument(getOutputGradient()), denseArgument(getWeight()), denseArgument(getInputGradient())};
  return {call};
}

OpCost ConvInputGradientOp::getCost() { return convolutionCost(getWeight().getType(), getOutputGradient().getType()); }

LogicalResult ConvWeightGradientOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  types.push_back(floatTensor(context, adaptor.getWeightShape()));
  return success();
}

LogicalResult ConvWeightGradientOp::verify() {
  return verifyConvolved(*this, convolutionOf(*this), getInput().getType(), getType(), getOutputGradient().getType());
}

SmallVector<KernelCall> ConvWeightGradientOp::getKernelCalls() {
  KernelCall call;
  call.kernel = convolutionKernel("conv2d_weight_gradient", convolutionOf(*this), getInput().getType(), getType(),
                                  getOutputGradient().getType());
  call.scalars = {fromCall(KernelScalar::Source::accumulate)};
  call.accumulates = true;
  call.arguments = {denseArgument(getInput()), denseArgument(getOutputGradient()), denseArgument(getWeightGradient()),
                    denseArgument(getWeightGradient())};
  return {call};
}

OpCost ConvWeightGradientOp::getCost() { return convolutionCost(getType(), getOutputGradient().getType()); }

} // namespace partyline::party
