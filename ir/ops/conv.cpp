//===- ir/ops/conv.cpp - two-dimensional convolution ----------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

void importConv(OnnxNodeImporter &importer) {
  Value input = importer.data(0), weight = importer.parameter(1);
  auto inputType = importer.typeOf(input), weightType = importer.typeOf(weight);
  if (inputType.getRank() != 4 || weightType.getRank() != 4)
    importer.unsupported("only two-dimensional convolutions can be trained");
  if (!weightType.hasStaticShape())
    importer.unsupported("the weight must not depend on the batch");
  int64_t groups = importer.intOr("group", 1);
  if (groups < 1 || inputType.getDimSize(1) != weightType.getDimSize(1) * groups || weightType.getDimSize(0) % groups)
    importer.unsupported("the weight's channels do not agree with the input's and the groups");
  Value bias = importer.hasInput(2) ? importer.parameter(2) : Value();
  if (bias && importer.typeOf(bias).getShape() != ArrayRef<int64_t>(weightType.getDimSize(0)))
    importer.unsupported("the bias must have one value per output channel");
  Window window =
      importWindow(importer, inputType, std::pair(weightType.getDimSize(2), weightType.getDimSize(3)));
  importer.setOutput(0, importer.builder
                            .create<ConvOp>(importer.location, input, weight, bias,
                                            ArrayRef<int64_t>{window.strideH, window.strideW},
                                            ArrayRef<int64_t>{window.padTop, window.padLeft, window.padBottom,
                                                              window.padRight},
                                            ArrayRef<int64_t>{window.dilationH, window.dilationW}, groups, false)
                            .getResult());
}

// The type of a convolution's output; fails, with an error, where weight, groups and input do not fit together.
template <typename ConvLikeOp>
static FailureOr<RankedTensorType> convolvedType(std::optional<Location> location, ConvLikeOp op,
                                                 RankedTensorType input, RankedTensorType weight, bool channelsLast) {
  if (weight.getRank() != 4 || !weight.hasStaticShape())
    return emitOptionalError(location, "a convolution needs a weight of rank 4, not ", weight);
  FailureOr<Window> window =
      makeWindow(weight.getShape().slice(channelsLast ? 0 : 2, 2), op.getStrides(), op.getPads(), op.getDilations());
  int64_t outChannels = weight.getDimSize(channelsLast ? 3 : 0), perGroup = weight.getDimSize(channelsLast ? 2 : 1);
  auto output = slideWindow(location, window, input, outChannels, channelsLast);
  if (failed(output))
    return failure();
  int64_t channels = input.getDimSize(channelsLast ? 3 : 1), groups = op.getGroups();
  if (groups < 1 || channels % groups || channels / groups != perGroup || outChannels % groups)
    return emitOptionalError(location, "a weight for ", perGroup, " channels cannot make ", outChannels, " of ",
                             channels, " in ", groups, " groups");
  return output;
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto output = convolvedType(location, adaptor, cast<RankedTensorType>(adaptor.getInput().getType()),
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

// The compile-time parameters of the convolution families. Shapes are channels-last; the weight is [kh, kw, C/g, O].
template <typename ConvLikeOp>
static KernelSpec convKernel(ConvLikeOp op, StringRef family, RankedTensorType input, RankedTensorType weight,
                             RankedTensorType output) {
  return {family.str(),
          {{"in_height", input.getDimSize(1)},
           {"in_width", input.getDimSize(2)},
           {"in_channels", input.getDimSize(3)},
           {"out_height", output.getDimSize(1)},
           {"out_width", output.getDimSize(2)},
           {"out_channels", output.getDimSize(3)},
           {"kernel_h", weight.getDimSize(0)},
           {"kernel_w", weight.getDimSize(1)},
           {"stride_h", op.getStrides()[0]},
           {"stride_w", op.getStrides()[1]},
           {"dilation_h", op.getDilations()[0]},
           {"dilation_w", op.getDilations()[1]},
           {"pad_top", op.getPads()[0]},
           {"pad_left", op.getPads()[1]},
           {"groups", int64_t(op.getGroups())}}};
}

// Multiply-adds of a convolution: every output element takes one window of every channel in its group.
static OpCost convCost(RankedTensorType weight, RankedTensorType output) {
  BufferDimension outputs = elementCount(output);
  double window = 2.0 * double(weight.getDimSize(0) * weight.getDimSize(1) * weight.getDimSize(2));
  return {window * double(outputs.perSample), window * double(outputs.fixed)};
}

SmallVector<KernelCall> ConvOp::getKernelCalls() {
  KernelCall call;
  call.kernel = convKernel(*this, "conv2d", getInput().getType(), getWeight().getType(), getType());
  call.kernel.parameters["bias"] = int64_t(getBias() ? 1 : 0);
  for (Value operand : getOperands())
    call.arguments.push_back(denseArgument(operand));
  call.arguments.push_back(denseArgument(getOutput()));
  return {call};
}

OpCost ConvOp::getCost() { return convCost(getWeight().getType(), getType()); }

// Whether a channels-last convolution of `input` with `weight` has an output of the gradient's type.
template <typename ConvGradientOp>
static LogicalResult verifyConvolved(ConvGradientOp op, RankedTensorType input, RankedTensorType weight) {
  auto output = convolvedType(op.getLoc(), op, input, weight, true);
  if (failed(output))
    return failure();
  if (*output != op.getOutputGradient().getType())
    return op.emitOpError("needs the gradient of the convolution's output ") << *output;
  return success();
}

LogicalResult ConvInputGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                    SmallVectorImpl<Type> &types) {
  return inferInputGradient(location, adaptor.getOutputGradient(), adaptor.getInputShape(), types);
}

LogicalResult ConvInputGradientOp::verify() { return verifyConvolved(*this, getType(), getWeight().getType()); }

SmallVector<KernelCall> ConvInputGradientOp::getKernelCalls() {
  KernelCall call;
  call.kernel = convKernel(*this, "conv2d_input_gradient", getType(), getWeight().getType(),
                           getOutputGradient().getType());
  call.arguments = {denseArgument(getOutputGradient()), denseArgument(getWeight()), denseArgument(getInputGradient())};
  return {call};
}

OpCost ConvInputGradientOp::getCost() { return convCost(getWeight().getType(), getOutputGradient().getType()); }

LogicalResult ConvWeightGradientOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  types.push_back(floatTensor(context, adaptor.getWeightShape()));
  return success();
}

LogicalResult ConvWeightGradientOp::verify() { return verifyConvolved(*this, getInput().getType(), getType()); }

SmallVector<KernelCall> ConvWeightGradientOp::getKernelCalls() {
  KernelCall call;
  call.kernel = convKernel(*this, "conv2d_weight_gradient", getInput().getType(), getType(),
                           getOutputGradient().getType());
  call.scalars = {fromCall(KernelScalar::Source::accumulate)};
  call.accumulates = true;
  call.arguments = {denseArgument(getInput()), denseArgument(getOutputGradient()), denseArgument(getWeightGradient()),
                    denseArgument(getWeightGradient())};
  return {call};
}

OpCost ConvWeightGradientOp::getCost() { return convCost(getType(), getOutputGradient().getType()); }

} // namespace partyline::party
