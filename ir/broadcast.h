//===- ir/broadcast.h - numpy broadcasting of tensors and their gradients -===//
#pragma once

#include "ir/op_helpers.h"

namespace partyline {

/// The type of an elementwise op over two operands; fails where they do not broadcast, or where a batch would.
mlir::FailureOr<mlir::RankedTensorType> broadcastType(mlir::RankedTensorType lhs, mlir::RankedTensorType rhs);

/// The same as inferReturnTypes of an op over several operands.
mlir::LogicalResult inferBroadcastType(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                       llvm::SmallVectorImpl<mlir::Type> &types);

/// Whether a kernel can sum `from` to `to`, a type that broadcasts to it.
bool canSumTo(mlir::RankedTensorType from, mlir::RankedTensorType to);

/// Whether an op can sum its operand to its result: the result's type broadcasts to the operand's.
mlir::LogicalResult verifySumTo(mlir::Operation *op);

/// The kernel of an elementwise op of two or three operands, the family of the op's name: dimensions are merged where
/// no operand's broadcasting changes.
KernelCall broadcastKernel(mlir::Operation *op);

/// result = the input, repeated along the dimensions along which its type broadcasts to the result's.
KernelCall broadcastCopyKernel(mlir::Operation *op);

/// result = factor * sum of the input over the dimensions along which the result's type broadcasts to the input's.
KernelCall sumToKernel(mlir::Operation *op, double factor);

/// The gradient of an operand of type `type` that may have been broadcast: `gradient` itself or its sum_to.
mlir::Value unbroadcast(mlir::OpBuilder &builder, mlir::Location location, mlir::Value gradient, mlir::Type type);

/// The op of a node's operands, broadcast as since opset 7.
template <typename Op, typename... Values> mlir::Value createBroadcast(OnnxNodeImporter &importer, Values... operands) {
  llvm::SmallVector<mlir::Type> types;
  if (mlir::failed(inferBroadcastType(std::nullopt, {operands...}, types)))
    importer.unsupported("the operands' shapes do not broadcast");
  return importer.builder.create<Op>(importer.location, operands...).getResult();
}

/// Imports a binary operator over these operands.
template <typename Op> void importBroadcast(OnnxNodeImporter &importer, mlir::Value lhs, mlir::Value rhs) {
  importer.setOutput(0, createBroadcast<Op>(importer, lhs, rhs));
}

/// The same for Add and its kin, whose weights are trained.
template <typename Op> void importBinary(OnnxNodeImporter &importer) {
  mlir::Value lhs = importer.operand(0);
  importBroadcast<Op>(importer, lhs, importer.operand(1));
}

/// An operator of any number of operands as a chain of binary ops, from the first operand on. `take` says what an
/// initializer is to the operator.
template <typename Op>
mlir::Value createChain(OnnxNodeImporter &importer, mlir::Value (OnnxNodeImporter::*take)(unsigned)) {
  mlir::Value result = (importer.*take)(0);
  for (unsigned i = 1; i < importer.numInputs(); ++i)
    result = createBroadcast<Op>(importer, result, (importer.*take)(i));
  return result;
}

} // namespace partyline
