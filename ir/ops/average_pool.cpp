//===- ir/ops/average_pool.cpp - average pooling --------------------------===//
#include "ir/pooling.h"

using namespace mlir;

namespace partyline::party {

void importAveragePool(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  Window window = importWindow(importer, importer.typeOf(input));
  if (window.dilationH != 1 || window.dilationW != 1)
    importer.unsupported("dilations cannot be trained");
  importer.setOutput(
      0, importer.builder
             .create<AveragePoolOp>(importer.location, input, ArrayRef<int64_t>{window.kernelH, window.kernelW},
                                    ArrayRef<int64_t>{window.strideH, window.strideW},
                                    ArrayRef<int64_t>{window.padTop, window.padLeft, window.padBottom, window.padRight},
                                    importer.intOr("count_include_pad", 0) != 0, window.ceilMode, false)
             .getOutput());
}

LogicalResult AveragePoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Window window = poolWindow(adaptor);
  window.ceilMode = adaptor.getCeilMode();
  auto type = pooledType(cast<RankedTensorType>(adaptor.getInput().getType()), window, adaptor.getChannelsLast());
  if (failed(type))
    return emitOptionalError(location, "no pooling window fits the input");
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
  call.kernel = poolKernel(family, poolWindow(op), cast<RankedTensorType>(input.getType()),
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

LogicalResult AveragePoolGradientOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape = {cast<RankedTensorType>(adaptor.getOutputGradient().getType()).getDimSize(0)};
  llvm::append_range(shape, adaptor.getInputShape());
  types.push_back(floatTensor(context, shape));
  return success();
}

SmallVector<KernelCall> AveragePoolGradientOp::getKernelCalls() {
  return {averageKernel(*this, "average_pool_gradient", getInputGradient(), getOutputGradient(), getOutputGradient(),
                        getInputGradient())};
}

} // namespace partyline::party
