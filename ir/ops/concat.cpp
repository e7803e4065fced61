//===- ir/ops/concat.cpp - concatenation, and a part of a tensor ----------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

// Only images have a channels-last form; dimension `axis` of one lies elsewhere then.
static int64_t storedAxis(int64_t axis, int64_t rank, bool channelsLast) {
  if (!channelsLast || rank != 4)
    return axis;
  return inversePermutation(toChannelsLast(rank))[axis];
}

void importConcat(OnnxNodeImporter &importer) {
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < importer.numInputs(); ++i)
    inputs.push_back(importer.data(i));
  RankedTensorType first = importer.typeOf(inputs.front());
  int64_t rank = first.getRank(), axis = importer.intOr("axis", 0);
  if (axis < -rank || axis >= rank)
    importer.unsupported("axis " + std::to_string(axis) + " is not one of the input's " + std::to_string(rank) +
                         " dimensions");
  axis += axis < 0 ? rank : 0;
  if (axis == 0)
    importer.unsupported("the batch cannot be concatenated");
  for (Value input : inputs) {
    RankedTensorType type = importer.typeOf(input);
    bool fits = type.getRank() == rank;
    for (int64_t i = 0; fits && i < rank; ++i)
      fits = i == axis || type.getDimSize(i) == first.getDimSize(i);
    if (!fits)
      importer.unsupported("its inputs differ in more than dimension " + std::to_string(axis));
  }
  importer.setOutput(0, inputs.size() == 1
                            ? inputs.front()
                            : importer.builder.create<ConcatOp>(importer.location, inputs, axis, false).getResult());
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (adaptor.getInputs().empty())
    return emitOptionalError(location, "has no inputs");
  auto first = cast<RankedTensorType>(adaptor.getInputs().front().getType());
  SmallVector<int64_t> shape(first.getShape());
  auto rank = int64_t(shape.size());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= rank)
    return emitOptionalError(location, "axis ", axis, " is none of ", first);
  axis = storedAxis(axis, rank, adaptor.getChannelsLast());
  if (first.isDynamicDim(axis))
    return emitOptionalError(location, "the batch cannot be concatenated");
  shape[axis] = 0;
  for (Value input : adaptor.getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getRank() != rank)
      return emitOptionalError(location, type, " and ", first, " differ in rank");
    for (int64_t i = 0; i < rank; ++i)
      if (i != axis && type.getDimSize(i) != first.getDimSize(i))
        return emitOptionalError(location, type, " and ", first, " differ in more than the axis");
    shape[axis] += type.getDimSize(axis);
  }
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

int64_t ConcatOp::getStoredAxis() { return storedAxis(int64_t(getAxis()), getType().getRank(), getChannelsLast()); }

SmallVector<int64_t> ConcatOp::getOperandPermutation(unsigned) { return getResultPermutation(0); }

SmallVector<int64_t> ConcatOp::getResultPermutation(unsigned) {
  return getType().getRank() == 4 ? toChannelsLast(4) : SmallVector<int64_t>();
}

// Every input's gradient is its part of the result's.
SmallVector<Value> ConcatOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  SmallVector<Value> parts;
  int64_t first = 0;
  for (Value input : getInputs()) {
    int64_t extent = cast<RankedTensorType>(input.getType()).getDimSize(getStoredAxis());
    parts.push_back(builder.create<SliceOp>(getLoc(), gradients[0], getStoredAxis(), first, extent));
    first += extent;
  }
  return parts;
}

SmallVector<KernelCall> ConcatOp::getKernelCalls() {
  SmallVector<KernelCall> calls;
  int64_t axis = getStoredAxis(), first = 0;
  for (Value input : getInputs()) {
    int64_t extent = cast<RankedTensorType>(input.getType()).getDimSize(axis);
    calls.push_back(copyKernel(partArgument(input, axis, 0, extent), partArgument(getResult(), axis, first, extent)));
    first += extent;
  }
  return calls;
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  auto axis = int64_t(adaptor.getAxis()), first = int64_t(adaptor.getFirst()), extent = int64_t(adaptor.getExtent());
  if (axis < 0 || axis >= type.getRank() || type.isDynamicDim(axis))
    return emitOptionalError(location, "axis ", axis, " is no fixed dimension of ", type);
  if (first < 0 || extent < 1 || first > type.getDimSize(axis) - extent)
    return emitOptionalError(location, "elements [", first, ", ", first + extent, ") are not in dimension ", axis,
                             " of ", type);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = extent;
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

SmallVector<KernelCall> SliceOp::getKernelCalls() {
  auto axis = int64_t(getAxis()), extent = int64_t(getExtent());
  return {copyKernel(partArgument(getInput(), axis, int64_t(getFirst()), extent),
                     partArgument(getResult(), axis, 0, extent))};
}

} // namespace partyline::party
