//===- ir/op_helpers.cpp - what several op files need ---------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline {

RankedTensorType floatTensor(MLIRContext *context, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, Float32Type::get(context));
}

KernelCall flatKernel(Operation *op, StringRef family, ValueRange operands, ArrayRef<KernelScalar> scalars) {
  KernelCall call;
  call.kernel.family = family.str();
  call.scalars.assign(scalars.begin(), scalars.end());
  for (Value operand : operands)
    call.arguments.push_back(flatArgument(operand));
  call.arguments.push_back(flatArgument(op->getResult(0)));
  call.inPlaceOver = operands.back();
  return call;
}

KernelCall copyKernel(const KernelArgument &from, const KernelArgument &to, KernelScalar factor) {
  KernelCall call;
  call.kernel = {"copy",
                 {{"rank", int64_t(from.dimensions.size())},
                  {"x_inner", std::string(from.dimensions.front().stride == 1 ? "1" : "any")}}};
  call.scalars = {factor, fromCall(KernelScalar::Source::accumulate)};
  call.accumulates = true;
  call.arguments = {from, to, to};
  return call;
}

// One axis of Window::outputSize. With ceil_mode a window may hang over the end, but must begin inside the input or its
// leading padding (as PyTorch and ONNX's reference since opset 19 do).
static int64_t outputExtent(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, int64_t before, int64_t after,
                            bool ceilMode) {
  int64_t room = in + before + after - ((kernel - 1) * dilation + 1);
  if (room < 0)
    return 0;
  int64_t out = (ceilMode ? (room + stride - 1) / stride : room / stride) + 1;
  if (ceilMode && (out - 1) * stride >= in + before)
    --out;
  return out;
}

// Larger than any image, and so small that no sum or product of these overflows.
static constexpr int64_t kMostWindow = int64_t(1) << 20;

std::optional<std::string> Window::fault(int64_t h, int64_t w) const {
  const std::string most = std::to_string(kMostWindow);
  for (int64_t value : {kernelH, kernelW, strideH, strideW, dilationH, dilationW})
    if (value < 1 || value > kMostWindow)
      return "the window's kernel, strides and dilations must lie between 1 and " + most;
  for (int64_t pad : {padTop, padLeft, padBottom, padRight})
    if (pad < 0 || pad > kMostWindow)
      return "the window's pads must lie between 0 and " + most;
  auto [height, width] = outputSize(h, w);
  if (height < 1 || width < 1)
    return "the window is larger than the padded input";
  return std::nullopt;
}

std::pair<int64_t, int64_t> Window::outputSize(int64_t h, int64_t w) const {
  return {outputExtent(h, kernelH, strideH, dilationH, padTop, padBottom, ceilMode),
          outputExtent(w, kernelW, strideW, dilationW, padLeft, padRight, ceilMode)};
}

FailureOr<Window> makeWindow(ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides, ArrayRef<int64_t> pads,
                             ArrayRef<int64_t> dilations) {
  if (kernel.size() != 2 || strides.size() != 2 || pads.size() != 4 || dilations.size() != 2)
    return failure();
  return Window{kernel[0],    kernel[1], strides[0], strides[1], dilations[0],
                dilations[1], pads[0],   pads[1],    pads[2],    pads[3]};
}

FailureOr<RankedTensorType> slideWindow(std::optional<Location> location, FailureOr<Window> window,
                                        RankedTensorType input, int64_t channels, bool channelsLast) {
  if (input.getRank() != 4)
    return emitOptionalError(location, "a window needs an input of rank 4, not ", input);
  if (failed(window))
    return emitOptionalError(location, "a window needs a two-dimensional kernel, two strides and dilations, four pads");
  int64_t spatial = channelsLast ? 1 : 2;
  int64_t height = input.getDimSize(spatial), width = input.getDimSize(spatial + 1);
  if (auto fault = window->fault(height, width))
    return emitOptionalError(location, *fault);
  std::tie(height, width) = window->outputSize(height, width);
  int64_t batch = input.getDimSize(0);
  return floatTensor(input.getContext(), channelsLast ? ArrayRef<int64_t>{batch, height, width, channels}
                                                      : ArrayRef<int64_t>{batch, channels, height, width});
}

LogicalResult inferInputGradient(std::optional<Location> location, Value outputGradient, ArrayRef<int64_t> inputShape,
                                 SmallVectorImpl<Type> &types) {
  auto output = cast<RankedTensorType>(outputGradient.getType());
  if (output.getRank() != int64_t(inputShape.size()) + 1)
    return emitOptionalError(location, "input_shape must have the rank of the output's gradient, less the batch");
  SmallVector<int64_t> shape = {output.getDimSize(0)};
  llvm::append_range(shape, inputShape);
  types.push_back(floatTensor(output.getContext(), shape));
  return success();
}

LogicalResult verifyFraction(Operation *op, StringRef name, const APFloat &value) {
  double fraction = value.convertToDouble();
  if (!(fraction >= 0 && fraction <= 1))
    return op->emitOpError() << name << " must lie between 0 and 1";
  return success();
}

LogicalResult verifyNotNegative(Operation *op, StringRef name, const APFloat &value) {
  if (!value.isFinite() || value.convertToDouble() < 0)
    return op->emitOpError() << name << " must be a number that is not negative";
  return success();
}

LogicalResult verifyPerChannel(std::optional<Location> location, ValueRange values, int64_t channels) {
  for (Value value : values)
    if (cast<RankedTensorType>(value.getType()).getShape() != ArrayRef<int64_t>(channels))
      return emitOptionalError(location, "one value per channel is needed: ", floatTensor(value.getContext(), channels),
                               ", not ", value.getType());
  return success();
}

// The padding of one axis for auto_pad SAME_UPPER or SAME_LOWER: out = ceil(in / stride), the odd element at the end or
// at the beginning.
static std::pair<int64_t, int64_t> samePads(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, bool upper) {
  int64_t out = (in + stride - 1) / stride;
  int64_t total = std::max<int64_t>(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - in);
  int64_t small = total / 2, large = total - total / 2;
  return upper ? std::pair(small, large) : std::pair(large, small);
}

Window importWindow(OnnxNodeImporter &importer, RankedTensorType input,
                    std::optional<std::pair<int64_t, int64_t>> kernel) {
  if (input.getRank() != 4)
    importer.unsupported("only two-dimensional windows (inputs of rank 4) can be trained, this input has rank " +
                         std::to_string(input.getRank()));
  auto pair = [&](const std::string &name, std::pair<int64_t, int64_t> otherwise) {
    auto values = importer.intsAttribute(name);
    if (!values)
      return otherwise;
    if (values->size() != 2 || (*values)[0] < 1 || (*values)[1] < 1 ||
        std::max((*values)[0], (*values)[1]) > kMostWindow)
      importer.unsupported("attribute " + name + " must hold two values between 1 and " + std::to_string(kMostWindow));
    return std::pair((*values)[0], (*values)[1]);
  };
  auto kernelShape = importer.intsAttribute("kernel_shape");
  if (!kernelShape && !kernel)
    importer.unsupported("attribute kernel_shape is missing");
  auto [kernelH, kernelW] = pair("kernel_shape", kernel.value_or(std::pair<int64_t, int64_t>(1, 1)));
  if (kernel && *kernel != std::pair(kernelH, kernelW))
    importer.unsupported("kernel_shape does not agree with the weight");
  auto [strideH, strideW] = pair("strides", {1, 1});
  auto [dilationH, dilationW] = pair("dilations", {1, 1});
  Window window{
      kernelH, kernelW, strideH, strideW, dilationH, dilationW, 0, 0, 0, 0, importer.intOr("ceil_mode", 0) != 0};

  std::string autoPad = importer.stringAttribute("auto_pad").value_or("NOTSET");
  int64_t height = input.getDimSize(2), width = input.getDimSize(3);
  if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
    bool upper = autoPad == "SAME_UPPER";
    std::tie(window.padTop, window.padBottom) = samePads(height, kernelH, strideH, dilationH, upper);
    std::tie(window.padLeft, window.padRight) = samePads(width, kernelW, strideW, dilationW, upper);
  } else if (autoPad == "NOTSET") {
    if (auto pads = importer.intsAttribute("pads")) {
      if (pads->size() != 4)
        importer.unsupported("attribute pads must hold four values");
      window.padTop = (*pads)[0], window.padLeft = (*pads)[1], window.padBottom = (*pads)[2],
      window.padRight = (*pads)[3];
    }
  } else if (autoPad != "VALID") {
    importer.unsupported("auto_pad " + autoPad + " is unknown");
  }
  if (auto fault = window.fault(height, width))
    importer.unsupported(*fault);
  return window;
}

SmallVector<int64_t> toChannelsLast(int64_t rank) {
  SmallVector<int64_t> permutation;
  if (rank <= 2)
    return permutation;
  permutation.push_back(0);
  for (int64_t i = 2; i < rank; ++i)
    permutation.push_back(i);
  permutation.push_back(1);
  return permutation;
}

SmallVector<int64_t> inversePermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, source] : llvm::enumerate(permutation))
    inverse[source] = i;
  return inverse;
}

SmallVector<int64_t> toChannelsFirst(int64_t rank) { return inversePermutation(toChannelsLast(rank)); }

} // namespace partyline
