//===- ir/ops/concat.cpp - concatenation ----------------------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

void importConcat(OnnxNodeImporter &importer) {
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < importer.numInputs(); ++i)
    inputs.push_back(importer.data(i));
  RankedTensorType first = importer.typeOf(inputs.front());
  int64_t rank = first.getRank(), axis = importAxis(importer, importer.intOr("axis", 0), rank);
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

SmallVector<int64_t> ConcatOp::getResultPermutation(unsigned) { return imagePermutation(getType().getRank()); }

bool ConcatOp::isInPlace(unsigned i) { return getInPlace() && (*getInPlace())[i]; }

std::optional<int64_t> ConcatOp::placeOf(Value value) {
  int64_t place = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    if (input == value && isInPlace(i))
      return place;
    place += cast<RankedTensorType>(input.getType()).getDimSize(getStoredAxis());
  }
  return std::nullopt;
}

LogicalResult ConcatOp::verify() {
  if (!getInPlace())
    return success();
  if (getInPlace()->size() != getInputs().size())
    return emitOpError("must say of each input whether it is in place");
  if (getStoredAxis() != getType().getRank() - 1)
    return emitOpError("can have inputs in place only along the innermost dimension");
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (isInPlace(i) && !canBeInPlace(input))
      return emitOpError("cannot have input ") << i << " in place: it is not only for party.fused";
  return success();
}

bool ConcatOp::canBeInPlace(Value input) {
  if (!input.getDefiningOp<FusedOp>() || cast<RankedTensorType>(input.getType()).getRank() < 2)
    return false;
  int uses = 0;
  for (OpOperand &use : input.getUses()) {
    if (use.getOwner() == *this)
      ++uses;
    else if (!isa<FusedOp>(use.getOwner()))
      return false;
  }
  return uses == 1;
}

// Every input's gradient is its part of the result's.
SmallVector<Value> ConcatOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  SmallVector<Value> parts;
  int64_t rank = getType().getRank();
  SmallVector<int64_t> starts(rank, 0), steps(rank, 1);
  for (Value input : getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> extents;
    for (int64_t i = 0; i < rank; ++i)
      extents.push_back(type.getDimSize(storedAxis(i, rank, getChannelsLast())));
    parts.push_back(builder.create<SliceOp>(getLoc(), gradients[0], starts, extents, steps, getChannelsLast()));
    starts[getAxis()] += extents[getAxis()];
  }
  return parts;
}

SmallVector<KernelCall> ConcatOp::getKernelCalls() {
  SmallVector<KernelCall> calls;
  int64_t axis = getStoredAxis(), rank = getType().getRank();
  SmallVector<int64_t> starts(rank, 0), steps(rank, 1);
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    if (!isInPlace(i))
      calls.push_back(copyKernel(denseArgument(input), stridedArgument(getResult(), starts, steps, type)));
    starts[axis] += type.getDimSize(axis);
  }
  return calls;
}

} // namespace partyline::party
