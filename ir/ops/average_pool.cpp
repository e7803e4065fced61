//===- ir/ops/average_pool.cpp - average pooling --------------------------===//
#include "ir/pooling.h"

using namespace mlir;

namespace partyline::party {

void importAveragePool(OnnxNodeImporter &importer) {
  WindowImport slid = importPoolWindow(importer, importer.data(0));
  if (slid.window().dilationH != 1 || slid.window().dilationW != 1)
    importer.unsupported("dilations cannot be trained");
  bool countIncludePad = importer.intOr("count_include_pad", 0) != 0;
  auto pool = importer.builder.create<AveragePoolOp>(importer.location, slid.image(), slid.kernel(), slid.strides(),
                                                     slid.pads(), countIncludePad, slid.window().ceilMode, false);
  importer.setOutput(0, slid.restored(pool.getOutput()));
}

template <typename PoolOp> static FailureOr<Window> averageWindow(PoolOp op) {
  return makeWindow(op.getKernel(), op.getStrides(), op.getPads(), {1, 1});
}

LogicalResult AveragePoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  FailureOr<Window> window = averageWindow(adaptor);
  if (succeeded(window))
    window->ceilMode = adaptor.getCeilMode();
  auto type =
      pooledType(location, window, cast<RankedTensorType>(adaptor.getInput().getType()), adaptor.getChannelsLast());
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

SmallVector<int64_t> AveragePoolOp::getOperandPermutation(unsigned) { return toChannelsLast(4); }
SmallVector<int64_t> AveragePoolOp::getResultPermutation(unsigned) { return toChannelsLast(4); }

SmallVector<Value> AveragePoolOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<AveragePoolGradientOp>(getLoc(), gradients[0], getInput().getType().getShape().drop_front(),
                                                getKernel(), getStrides(), getPads(), getCountIncludePad())};
}

template <typename PoolOp>
static KernelCall averageKernel(PoolOp op, StringRef family, Value input, Value output, Value from, Value to) {
  KernelCall call;
  call.kernel = poolKernel(family, *averageWindow(op), cast<RankedTensorType>(input.getType()),
                           cast<RankedTensorType>(output.getType()));
  call.kernel.parameters["pad_bottom"] = op.getPads()[2];
  call.kernel.parameters["pad_right"] = op.getPads()[3];
  call.kernel.parameters["count_include_pad"] = int64_t(op.getCountIncludePad());
  call.arguments = {denseArgument(from), denseArgument(to)};
  return call;
}

SmallVector<KernelCall> AveragePoolOp::getKernelCalls() {
  return {averageKernel(*this, "average_pool", getInput(), getOutput(), getInput(), getOutput())};
}

OpCost AveragePoolOp::getCost() {
  BufferDimension outputs = elementCount(getType());
  double window = double(getKernel()[0] * getKernel()[1]);
  return {window * double(outputs.perSample), window * double(outputs.fixed)};
}

LogicalResult AveragePoolGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  return inferInputGradient(location, adaptor.getOutputGradient(), adaptor.getInputShape(), types);
}

LogicalResult AveragePoolGradientOp::verify() {
  return verifyPooled(*this, averageWindow(*this), getType(), getOutputGradient().getType());
}

SmallVector<KernelCall> AveragePoolGradientOp::getKernelCalls() {
  return {averageKernel(*this, "average_pool_gradient", getInputGradient(), getOutputGradient(), getOutputGradient(),
                        getInputGradient())};
}

} // namespace partyline::party
