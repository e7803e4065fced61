//===- ir/ops/max_pool.cpp - max pooling ----------------------------------===//
#include "ir/pooling.h"

using namespace mlir;

namespace partyline::party {

static constexpr int64_t kMostPositions = 1 << 16; // in a window: the index has 16 bits at most

void importMaxPool(OnnxNodeImporter &importer) {
  WindowImport slid = importPoolWindow(importer, importer.data(0));
  if (slid.window().kernelH * slid.window().kernelW > kMostPositions)
    importer.unsupported("the window is too large");
  auto pool = importer.builder.create<MaxPoolOp>(importer.location, slid.image(), slid.kernel(), slid.strides(),
                                                 slid.pads(), slid.dilations(), slid.window().ceilMode, false);
  importer.setOutput(0, slid.restored(pool.getOutput()));
}

// One window over all positions, which are seen as a row.
void importGlobalMaxPool(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  RankedTensorType type = importer.typeOf(input);
  if (type.getRank() < 3)
    importer.unsupported("the input has no spatial dimensions");
  int64_t positions = collapsedExtent(type, 2, type.getRank()).fixed;
  if (positions > kMostPositions)
    importer.unsupported("the window is too large");
  OpBuilder &builder = importer.builder;
  Value row = builder.createOrFold<ReshapeOp>(
      importer.location, floatTensor(builder.getContext(), {type.getDimSize(0), type.getDimSize(1), 1, positions}),
      input);
  const SmallVector<int64_t> unit = {1, 1}, none = {0, 0, 0, 0};
  auto pool = builder.create<MaxPoolOp>(importer.location, row, ArrayRef<int64_t>{1, positions}, unit, none, unit,
                                        false, false);
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[0] = type.getDimSize(0), shape[1] = type.getDimSize(1);
  importer.setOutput(0, builder.createOrFold<ReshapeOp>(importer.location, floatTensor(builder.getContext(), shape),
                                                        pool.getOutput()));
}

template <typename PoolOp> static FailureOr<Window> maxWindow(PoolOp op) {
  return makeWindow(op.getKernel(), op.getStrides(), op.getPads(), op.getDilations());
}

// The type of positions in the window, for the elements of `pooled`.
static RankedTensorType indexType(RankedTensorType pooled, const Window &window) {
  unsigned bits = window.kernelH * window.kernelW <= 256 ? 8 : 16;
  return RankedTensorType::get(pooled.getShape(), IntegerType::get(pooled.getContext(), bits, IntegerType::Unsigned));
}

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  FailureOr<Window> window = maxWindow(adaptor);
  if (succeeded(window))
    window->ceilMode = adaptor.getCeilMode();
  auto type =
      pooledType(location, window, cast<RankedTensorType>(adaptor.getInput().getType()), adaptor.getChannelsLast());
  if (failed(type))
    return failure();
  if (window->kernelH * window->kernelW > kMostPositions)
    return emitOptionalError(location, "the window is too large: its positions do not fit 16 bits");
  types.assign({*type, indexType(*type, *window)});
  return success();
}

SmallVector<int64_t> MaxPoolOp::getOperandPermutation(unsigned) { return toChannelsLast(4); }
SmallVector<int64_t> MaxPoolOp::getResultPermutation(unsigned) { return toChannelsLast(4); }

SmallVector<Value> MaxPoolOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<MaxPoolGradientOp>(getLoc(), gradients[0], getIndex(),
                                            getInput().getType().getShape().drop_front(), getKernel(), getStrides(),
                                            getPads(), getDilations())};
}

SmallVector<KernelCall> MaxPoolOp::getKernelCalls() {
  KernelCall call;
  call.kernel = poolKernel("max_pool", *maxWindow(*this), getInput().getType(), getOutput().getType());
  call.kernel.parameters["index_bits"] = int64_t(getIndex().getType().getElementTypeBitWidth());
  call.arguments = {denseArgument(getInput()), denseArgument(getOutput()), denseArgument(getIndex())};
  return {call};
}

OpCost MaxPoolOp::getCost() {
  BufferDimension outputs = elementCount(getOutput().getType());
  double window = double(getKernel()[0] * getKernel()[1]);
  return {window * double(outputs.perSample), window * double(outputs.fixed)};
}

LogicalResult MaxPoolGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  return inferInputGradient(location, adaptor.getOutputGradient(), adaptor.getInputShape(), types);
}

LogicalResult MaxPoolGradientOp::verify() {
  FailureOr<Window> window = maxWindow(*this);
  if (failed(verifyPooled(*this, window, getType(), getOutputGradient().getType())))
    return failure();
  if (getIndex().getType() != indexType(getOutputGradient().getType(), *window))
    return emitOpError("needs an index of type ") << indexType(getOutputGradient().getType(), *window);
  return success();
}

SmallVector<KernelCall> MaxPoolGradientOp::getKernelCalls() {
  KernelCall call;
  call.kernel = poolKernel("max_pool_gradient", *maxWindow(*this), getType(), getOutputGradient().getType());
  call.kernel.parameters["index_bits"] = int64_t(getIndex().getType().getElementTypeBitWidth());
  call.arguments = {denseArgument(getOutputGradient()), denseArgument(getIndex()), denseArgument(getInputGradient())};
  return {call};
}

} // namespace partyline::party
