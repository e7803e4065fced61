//===- ir/softmax.h - what Softmax and LogSoftmax share -------------------===//
#pragma once

#include "ir/op_helpers.h"

namespace partyline {

/// The kernel of an op along the rows [rows, channels] of its operands and its result.
KernelCall rowKernel(mlir::Operation *op, llvm::StringRef family);

/// Whether the op's tensors have rows: a last dimension that is not the batch.
mlir::LogicalResult verifyRows(mlir::Operation *op);

/// Some five operations per element.
OpCost rowCost(mlir::Operation *op);

/// The shape and the permutation that bring a softmax's axis to the end: until opset 12 the dimensions from `axis` on are
/// taken together (default 1), since opset 13 it is one axis (default the last).
struct SoftmaxAxis {
  llvm::SmallVector<int64_t> flatShape;   ///< not empty: reshape to this shape and back
  llvm::SmallVector<int64_t> permutation; ///< not empty: transpose and back
};
SoftmaxAxis importSoftmaxAxis(OnnxNodeImporter &importer, mlir::RankedTensorType type);

template <typename Op> void importSoftmaxLike(OnnxNodeImporter &importer) {
  mlir::Value input = importer.data(0);
  auto type = importer.typeOf(input);
  SoftmaxAxis axis = importSoftmaxAxis(importer, type);
  mlir::OpBuilder &builder = importer.builder;
  mlir::Location location = importer.location;
  mlir::Value value = input;
  if (!axis.flatShape.empty())
    value = builder.createOrFold<party::ReshapeOp>(location, floatTensor(builder.getContext(), axis.flatShape), value);
  if (!axis.permutation.empty())
    value = builder.create<party::TransposeOp>(location, value, axis.permutation);
  value = builder.create<Op>(location, value);
  if (!axis.permutation.empty())
    value = builder.create<party::TransposeOp>(location, value, inversePermutation(axis.permutation));
  if (!axis.flatShape.empty())
    value = builder.createOrFold<party::ReshapeOp>(location, type, value);
  importer.setOutput(0, value);
}

} // namespace partyline
