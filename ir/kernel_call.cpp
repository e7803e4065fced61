//===- ir/kernel_call.cpp - views of tensors for kernels ------------------===//
#include "ir/kernel_call.h"

#include "mlir/IR/Operation.h"

#include <algorithm>

using namespace mlir;

namespace partyline {

BufferDimension collapsedExtent(RankedTensorType type, int64_t first, int64_t last) {
  int64_t product = 1;
  bool batch = false;
  for (int64_t i = first; i < last; ++i) {
    if (type.isDynamicDim(i))
      batch = true;
    else
      product *= type.getDimSize(i);
  }
  return batch ? BufferDimension{product, 0} : BufferDimension{0, product};
}

BufferDimension elementCount(RankedTensorType type) { return collapsedExtent(type, 0, type.getRank()); }

std::pair<int64_t, int64_t> tensorBytes(RankedTensorType type) {
  BufferDimension count = elementCount(type);
  int64_t width = type.getElementTypeBitWidth() / 8;
  return {count.perSample * width, count.fixed * width};
}

KernelArgument flatArgument(Value value) { return {value, {elementCount(cast<RankedTensorType>(value.getType()))}}; }

KernelArgument matrixArgument(Value value, int64_t columns) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t border = type.getRank() - columns;
  BufferDimension row = collapsedExtent(type, border, type.getRank());
  BufferDimension rows = collapsedExtent(type, 0, border);
  rows.stride = row.fixed;
  return {value, {row, rows}};
}

KernelArgument columnsArgument(Value value, int64_t first, int64_t columns) {
  KernelArgument argument = matrixArgument(value);
  argument.dimensions[0].fixed = columns;
  argument.firstElement = first;
  return argument;
}

KernelArgument denseArgument(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  KernelArgument argument{value, {}};
  int64_t stride = 1;
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    BufferDimension dimension = collapsedExtent(type, i, i + 1);
    dimension.stride = stride;
    stride *= std::max<int64_t>(dimension.fixed, 1);
    argument.dimensions.push_back(dimension);
  }
  return argument;
}

KernelArgument stridedArgument(Value value, ArrayRef<int64_t> starts, ArrayRef<int64_t> steps, RankedTensorType part) {
  KernelArgument argument = denseArgument(value);
  int64_t rank = part.getRank();
  for (int64_t i = 0; i < rank; ++i) {
    BufferDimension &dimension = argument.dimensions[rank - 1 - i];
    argument.firstElement += starts[i] * dimension.stride;
    int64_t stride = steps[i] * dimension.stride;
    dimension = collapsedExtent(part, i, i + 1);
    dimension.stride = stride;
  }
  return argument;
}

OpCost elementwiseCost(Operation *op) {
  OpCost cost;
  for (Value result : op->getResults()) {
    BufferDimension count = elementCount(cast<RankedTensorType>(result.getType()));
    cost.perSample += double(count.perSample);
    cost.fixed += double(count.fixed);
  }
  return cost;
}

} // namespace partyline
