//===- ir/ops/max_pool.cpp - max pooling ----------------------------------===//
#include "ir/pooling.h"

using namespace mlir;

namespace partyline::party {

void importMaxPool(OnnxNodeImporter &importer) {
  if (importer.numOutputs() > 1)
    importer.unsupported("the Indices output cannot be trained");
  if (importer.intOr("storage_order", 0))
    importer.unsupported("storage_order 1 belongs to the Indices output");
  Value input = importer.data(0);
  Window window = importWindow(importer, importer.typeOf(input));
  if (window.kernelH * window.kernelW > 65536)
    importer.unsupported("the window is too large");
  importer.setOutput(
      0, importer.builder
             .create<MaxPoolOp>(importer.location, input, ArrayRef<int64_t>{window.kernelH, window.kernelW},
                                ArrayRef<int64_t>{window.strideH, window.strideW},
                                ArrayRef<int64_t>{window.padTop, window.padLeft, window.padBottom, window.padRight},
                                ArrayRef<int64_t>{window.dilationH, window.dilationW}, window.ceilMode, false)
             .getOutput());
}

template <typename PoolOp> static Window dilatedWindow(PoolOp op) {
  Window window = poolWindow(op);
  window.dilationH = op.getDilations()[0];
  window.dilationW = op.getDilations()[1];
  return window;
}

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Window window = dilatedWindow(adaptor);
  window.ceilMode = adaptor.getCeilMode();
  auto type = pooledType(cast<RankedTensorType>(adaptor.getInput().getType()), window, adaptor.getChannelsLast());
  if (failed(type))
    return emitOptionalError(location, "no pooling window fits the input");
  types.push_back(*type);
  unsigned bits = window.kernelH * window.kernelW <= 256 ? 8 : 16;
  types.push_back(RankedTensorType::get(type->getShape(), IntegerType::get(context, bits, IntegerType::Unsigned)));
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
  call.kernel = poolKernel("max_pool", dilatedWindow(*this), getInput().getType(), getOutput().getType());
  call.kernel.parameters["index_bits"] = int64_t(getIndex().getType().getElementTypeBitWidth());
  call.arguments = {denseArgument(getInput()), denseArgument(getOutput()), denseArgument(getIndex())};
  return {call};
}

OpCost MaxPoolOp::getCost() {
  BufferDimension outputs = elementCount(getOutput().getType());
  double window = double(getKernel()[0] * getKernel()[1]);
  return {window * double(outputs.perSample), window * double(outputs.fixed)};
}

LogicalResult MaxPoolGradientOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape = {cast<RankedTensorType>(adaptor.getOutputGradient().getType()).getDimSize(0)};
  llvm::append_range(shape, adaptor.getInputShape());
  types.push_back(floatTensor(context, shape));
  return success();
}

SmallVector<KernelCall> MaxPoolGradientOp::getKernelCalls() {
  KernelCall call;
  call.kernel = poolKernel("max_pool_gradient", dilatedWindow(*this), getType(), getOutputGradient().getType());
  call.kernel.parameters["index_bits"] = int64_t(getIndex().getType().getElementTypeBitWidth());
  call.arguments = {denseArgument(getOutputGradient()), denseArgument(getIndex()), denseArgument(getInputGradient())};
  return {call};
}

} // namespace partyline::party
