//===- ir/ops/global_average_pool.cpp - mean over all positions -----------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

void importGlobalAveragePool(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  if (importer.typeOf(input).getRank() < 3)
    importer.unsupported("the input has no spatial dimensions");
  importer.setOutput(0, importer.builder.create<GlobalAveragePoolOp>(importer.location, input, false).getOutput());
}

LogicalResult GlobalAveragePoolOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                                    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  if (type.getRank() < 3)
    return emitOptionalError(location, "global pooling needs spatial dimensions");
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[0] = type.getDimSize(0);
  int64_t channels = adaptor.getChannelsLast() ? type.getRank() - 1 : 1;
  shape[channels] = type.getDimSize(channels);
  types.push_back(floatTensor(context, shape));
  return success();
}

SmallVector<int64_t> GlobalAveragePoolOp::getOperandPermutation(unsigned) {
  return toChannelsLast(getInput().getType().getRank());
}
SmallVector<int64_t> GlobalAveragePoolOp::getResultPermutation(unsigned) {
  return toChannelsLast(getInput().getType().getRank());
}

SmallVector<Value> GlobalAveragePoolOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<GlobalAveragePoolGradientOp>(getLoc(), gradients[0],
                                                      getInput().getType().getShape().drop_front())};
}

namespace {

/// A channels-last image as [N, positions, C] and its mean as [N, 1, C], innermost first; the mean's stride along the
/// positions is 0.
struct Views {
  KernelArgument image, mean;
  double positions;
};

} // namespace

static Views makeViews(Value image, Value mean) {
  auto type = cast<RankedTensorType>(image.getType());
  int64_t rank = type.getRank();
  BufferDimension channels = collapsedExtent(type, rank - 1, rank), positions = collapsedExtent(type, 1, rank - 1);
  BufferDimension batch = collapsedExtent(type, 0, 1);
  Views views{{image, {channels, positions, batch}}, {mean, {channels, positions, batch}}, double(positions.fixed)};
  views.image.dimensions[1].stride = channels.fixed;
  views.image.dimensions[2].stride = channels.fixed * positions.fixed;
  views.mean.dimensions[1].stride = 0;
  views.mean.dimensions[2].stride = channels.fixed;
  return views;
}

SmallVector<KernelCall> GlobalAveragePoolOp::getKernelCalls() {
  Views views = makeViews(getInput(), getOutput());
  KernelArgument result{getOutput(), {views.mean.dimensions[0], views.mean.dimensions[2]}};
  KernelCall call;
  call.kernel = {"reduce_sum", {{"pattern", std::string("krk")}}};
  call.scalars = {constantFloat(1 / views.positions), constantInt(0)};
  call.arguments = {views.image, result, result};
  return {call};
}

OpCost GlobalAveragePoolOp::getCost() { return {double(elementCount(getInput().getType()).perSample), 0}; }

LogicalResult GlobalAveragePoolGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return inferInputGradient(location, adaptor.getOutputGradient(), adaptor.getInputShape(), types);
}

LogicalResult GlobalAveragePoolGradientOp::verify() {
  ArrayRef<int64_t> mean = getOutputGradient().getType().getShape();
  if (mean.size() < 3 || mean.size() != getInputShape().size() + 1 || mean.back() != getInputShape().back() ||
      llvm::any_of(mean.drop_front().drop_back(), [](int64_t extent) { return extent != 1; }))
    return emitOpError("needs the gradient of a mean [batch, 1..., channels]");
  return success();
}

SmallVector<KernelCall> GlobalAveragePoolGradientOp::getKernelCalls() {
  Views views = makeViews(getInputGradient(), getOutputGradient());
  return {copyKernel(views.mean, views.image, constantFloat(1 / views.positions))};
}

} // namespace partyline::party
