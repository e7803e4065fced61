//===- ir/op_helpers.cpp - what several op files need ---------------------===//
#include "ir/op_helpers.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

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
  call.inPlaceOver = {operands.back()};
  return call;
}

KernelCall unaryKernel(Operation *op) {
  SmallVector<KernelScalar> scalars;
  for (NamedAttribute attribute : op->getAttrDictionary()) // sorted by name
    if (auto number = dyn_cast<FloatAttr>(attribute.getValue()))
      scalars.push_back(constantFloat(number.getValueAsDouble()));
  return flatKernel(op, op->getName().stripDialect(), op->getOperands(), scalars);
}

Value unaryGradient(OpBuilder &builder, Operation *op, Value from, Value outputGradient) {
  OperationState state(op->getLoc(), op->getName().getStringRef().str() + "_gradient", {from, outputGradient},
                       {from.getType()}, op->getAttrs());
  return builder.create(state)->getResult(0);
}

// Takes dimensions of two views together where both go on evenly: fewer dimensions, longer rows. What a kernel writes
// must have unit stride along the innermost dimension, which may have the extent 1.
static void mergeDimensions(KernelArgument &from, KernelArgument &to) {
  SmallVector<BufferDimension> a, b;
  for (auto [x, y] : llvm::zip_equal(from.dimensions, to.dimensions)) {
    if (x.perSample == 0 && x.fixed == 1)
      continue;
    bool evenly = !a.empty() && a.back().perSample == 0 && x.stride == a.back().stride * a.back().fixed &&
                  y.stride == b.back().stride * b.back().fixed;
    if (evenly) {
      int64_t inner = a.back().fixed;
      for (BufferDimension *merged : {&a.back(), &b.back()})
        *merged = {x.perSample * inner, x.fixed * inner, merged->stride};
    } else {
      a.push_back(x), b.push_back(y);
    }
  }
  if (a.empty() || b.front().stride != 1) {
    a.insert(a.begin(), BufferDimension{0, 1});
    b.insert(b.begin(), BufferDimension{0, 1});
  }
  from.dimensions = a, to.dimensions = b;
}

KernelCall copyKernel(KernelArgument from, KernelArgument to, KernelScalar factor) {
  mergeDimensions(from, to);
  KernelCall call;
  const int64_t inner = from.dimensions.front().stride;
  call.kernel = {"copy",
                 {{"rank", int64_t(from.dimensions.size())},
                  {"x_inner", inner == 0 || inner == 1 ? std::to_string(inner) : "any"}}};
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

SmallVector<int64_t> imagePermutation(int64_t rank) { return rank == 4 ? toChannelsLast(4) : SmallVector<int64_t>(); }

SmallVector<int64_t> storedOrder(ArrayRef<int64_t> values, bool channelsLast) {
  if (!channelsLast || values.size() != 4)
    return SmallVector<int64_t>(values);
  return applyPermutation(values, toChannelsLast(4));
}

int64_t storedAxis(int64_t axis, int64_t rank, bool channelsLast) {
  return channelsLast && rank == 4 ? toChannelsFirst(4)[axis] : axis;
}

int64_t importAxis(OnnxNodeImporter &importer, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    importer.unsupported("axis " + std::to_string(axis) + " is not one of the input's " + std::to_string(rank) +
                         " dimensions");
  return axis < 0 ? axis + rank : axis;
}

Value importPart(OnnxNodeImporter &importer, Value input, int64_t axis, int64_t first, int64_t extent) {
  RankedTensorType type = importer.typeOf(input);
  SmallVector<int64_t> starts(type.getRank(), 0), extents(type.getShape()), steps(type.getRank(), 1);
  starts[axis] = first;
  extents[axis] = extent;
  return importer.builder.createOrFold<party::SliceOp>(importer.location, input, starts, extents, steps, false);
}

UpdateKernelCall momentumStep(StringRef family, const APFloat &momentum, const APFloat &weightDecay) {
  const bool hasBuffer = !momentum.isZero();
  UpdateKernelCall call;
  call.kernel = {family.str(), {{"momentum", int64_t(hasBuffer)}}};
  call.scalars = {fromCall(KernelScalar::Source::learningRate)};
  if (hasBuffer)
    call.scalars.push_back(constantFloat(momentum.convertToDouble()));
  call.scalars.push_back(constantFloat(weightDecay.convertToDouble()));
  // In-place buffers are passed as inputs and again as outputs.
  call.slots = {UpdateKernelCall::gradient};
  for (int i = 0; i < 2; ++i) {
    call.slots.push_back(UpdateKernelCall::weight);
    if (hasBuffer)
      call.slots.push_back(0);
  }
  return call;
}

SmallVector<int64_t> inversePermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, source] : llvm::enumerate(permutation))
    inverse[source] = i;
  return inverse;
}

SmallVector<int64_t> toChannelsFirst(int64_t rank) { return inversePermutation(toChannelsLast(rank)); }

} // namespace partyline
