//===- ir/ops/conv_transpose.cpp - transposed convolution -----------------===//
#include "ir/convolution.h"
#include "ir/window_import.h"

using namespace mlir;

namespace partyline::party {

namespace {

/// One axis of a ConvTranspose node.
struct TransposedAxis {
  int64_t in, kernel, stride, dilation, before, after, out;
};

} // namespace

// The geometry of both axes: out = stride (in - 1) + output_padding + dilation (kernel - 1) + 1 - pads. A wanted
// output_shape, or auto_pad SAME with out = stride in, decides the pads.
static std::pair<TransposedAxis, TransposedAxis> importGeometry(OnnxNodeImporter &importer, RankedTensorType input,
                                                                RankedTensorType weight) {
  auto values = [&](const std::string &name, size_t count, int64_t least) {
    return importWindowValues(importer, name, count, least).value_or(std::vector<int64_t>(count, least));
  };
  auto strides = values("strides", 2, 1), dilations = values("dilations", 2, 1), more = values("output_padding", 2, 0),
       pads = values("pads", 4, 0);
  std::string autoPad = importer.stringAttribute("auto_pad").value_or("NOTSET");
  auto wanted = importer.intsAttribute("output_shape");
  if (wanted && wanted->size() != 2)
    importer.unsupported("attribute output_shape must hold two values");
  auto axis = [&](size_t i) {
    TransposedAxis result{
        input.getDimSize(2 + i), weight.getDimSize(2 + i), strides[i], dilations[i], pads[i], pads[i + 2], 0};
    int64_t whole = result.stride * (result.in - 1) + more[i] + result.dilation * (result.kernel - 1) + 1;
    if (wanted || autoPad.starts_with("SAME")) {
      // Where more is wanted than the windows reach, nothing is cut off and the rest is 0.
      result.out = wanted ? (*wanted)[i] : result.stride * result.in;
      int64_t total = std::max<int64_t>(0, whole - result.out);
      result.before = autoPad == "SAME_UPPER" ? total / 2 : total - total / 2;
      result.after = total - result.before;
    } else if (autoPad == "VALID") {
      result.before = result.after = 0;
    }
    if (result.out == 0)
      result.out = whole - result.before - result.after;
    if (result.before < 0 || result.after < 0 || result.out < 1)
      importer.unsupported("its output's size does not go with its strides and its kernel");
    return result;
  };
  return {axis(0), axis(1)};
}

void importConvTranspose(OnnxNodeImporter &importer) {
  Value input = importer.data(0), weight = importer.parameter(1);
  auto inputType = importer.typeOf(input), weightType = importer.typeOf(weight);
  if (inputType.getRank() != 4 || weightType.getRank() != 4 || !weightType.hasStaticShape())
    importer.unsupported("only two-dimensional transposed convolutions can be trained");
  int64_t groups = importer.intOr("group", 1);
  if (groups < 1 || inputType.getDimSize(1) != weightType.getDimSize(0) || weightType.getDimSize(0) % groups)
    importer.unsupported("the weight's channels do not agree with the input's and the groups");
  auto kernelShape = importer.intsAttribute("kernel_shape");
  if (kernelShape && ArrayRef<int64_t>(*kernelShape) != weightType.getShape().drop_front(2))
    importer.unsupported("kernel_shape does not agree with the weight");
  auto [h, w] = importGeometry(importer, inputType, weightType);
  SmallVector<int64_t> pads = {h.before, w.before, h.after, w.after};
  Window window{h.kernel, w.kernel, h.stride, w.stride, h.dilation, w.dilation, pads[0], pads[1], pads[2], pads[3]};
  if (window.fault(h.out, w.out) || window.outputSize(h.out, w.out) != std::pair(h.in, w.in))
    importer.unsupported("output_padding must be smaller than the stride");
  OpBuilder &builder = importer.builder;
  Value output = builder.create<ConvTransposeOp>(importer.location, input, weight, ArrayRef<int64_t>{h.out, w.out},
                                                 ArrayRef<int64_t>{h.stride, w.stride}, pads,
                                                 ArrayRef<int64_t>{h.dilation, w.dilation}, groups, false);
  if (importer.hasInput(2)) {
    Value bias = importer.parameter(2);
    int64_t channels = importer.typeOf(output).getDimSize(1);
    if (importer.typeOf(bias).getShape() != ArrayRef<int64_t>(channels))
      importer.unsupported("the bias must have one value per output channel");
    bias = builder.create<ReshapeOp>(importer.location, floatTensor(builder.getContext(), {channels, 1, 1}), bias);
    output = builder.create<AddOp>(importer.location, output, bias);
  }
  importer.setOutput(0, output);
}

LogicalResult ConvTransposeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto weight = cast<RankedTensorType>(adaptor.getWeight().getType());
  ArrayRef<int64_t> size = adaptor.getOutputSize();
  if (weight.getRank() != 4 || input.getRank() != 4 || size.size() != 2 || size[0] < 1 || size[1] < 1)
    return emitOptionalError(location, "needs an image, a weight of rank 4 and an output size");
  bool channelsLast = adaptor.getChannelsLast();
  int64_t batch = input.getDimSize(0), channels;
  if (llvm::MulOverflow(weight.getDimSize(channelsLast ? 2 : 1), int64_t(adaptor.getGroups()), channels) ||
      channels < 1)
    return emitOptionalError(location, "has an impossible number of groups");
  auto output = floatTensor(context, channelsLast ? ArrayRef<int64_t>{batch, size[0], size[1], channels}
                                                  : ArrayRef<int64_t>{batch, channels, size[0], size[1]});
  auto back = convolvedType(location, convolutionOf(adaptor), output, weight, channelsLast);
  if (failed(back))
    return failure();
  if (*back != input)
    return emitOptionalError(location, "an output of this size is made of ", *back, ", not of ", input);
  types.push_back(output);
  return success();
}

SmallVector<int64_t> ConvTransposeOp::getOperandPermutation(unsigned index) {
  return index == 0 ? toChannelsLast(4)
                    : SmallVector<int64_t>{2, 3, 1, 0}; // [C, O/groups, kh, kw] -> [kh, kw, O/groups, C]
}

SmallVector<int64_t> ConvTransposeOp::getResultPermutation(unsigned) { return toChannelsLast(4); }

// With the roles of input and output exchanged, those of a convolution.
SmallVector<Value> ConvTransposeOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  Value weightGradient =
      builder.create<ConvWeightGradientOp>(getLoc(), gradients[0], getInput(), getWeight().getType().getShape(),
                                           getStrides(), getPads(), getDilations(), getGroups());
  Value inputGradient = builder.create<ConvOp>(getLoc(), gradients[0], getWeight(), Value(), getStrides(), getPads(),
                                               getDilations(), getGroups(), true);
  return {inputGradient, weightGradient};
}

SmallVector<KernelCall> ConvTransposeOp::getKernelCalls() {
  KernelCall call;
  call.kernel = convolutionKernel("conv2d_input_gradient", convolutionOf(*this), getType(), getWeight().getType(),
                                  getInput().getType());
  call.arguments = {denseArgument(getInput()), denseArgument(getWeight()), denseArgument(getOutput())};
  return {call};
}

OpCost ConvTransposeOp::getCost() { return convolutionCost(getWeight().getType(), getInput().getType()); }

} // namespace partyline::party
