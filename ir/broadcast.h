//===- ir/broadcast.h - numpy broadcasting of tensors and their gradients -===//
#pragma once

#include "ir/op_helpers.h"

namespace partyline {

/// The type of an elementwise op over two operands; fails where they do not broadcast, or where a batch would.
mlir::FailureOr<mlir::RankedTensorType> broadcastType(mlir::RankedTensorType lhs, mlir::RankedTensorType rhs);

/// The same as inferReturnTypes of such an op.
mlir::LogicalResult inferBroadcastType(std::optional<mlir::Location> location, mlir::Value lhs, mlir::Value rhs,
                                       llvm::SmallVectorImpl<mlir::Type> &types);

/// Whether a kernel can sum `from` to `to`, a type that broadcasts to it.
bool canSumTo(mlir::RankedTensorType from, mlir::RankedTensorType to);

/// Whether an op can sum its operand to its result: the result's type broadcasts to the operand's.
mlir::LogicalResult verifySumTo(mlir::Operation *op);

/// The kernel of a binary elementwise op: dimensions are merged where neither operand's broadcasting changes, at most
/// four are left.
KernelCall broadcastKernel(mlir::Operation *op, llvm::StringRef family);

/// result = factor * sum of the input over the dimensions along which the result's type broadcasts to the input's.
KernelCall sumToKernel(mlir::Operation *op, double factor);

/// The gradient of an operand of type `type` that may have been broadcast: `gradient` itself or its sum_to.
mlir::Value unbroadcast(mlir::OpBuilder &builder, mlir::Location location, mlir::Value gradient, mlir::Type type);

/// Imports a binary operator over these operands, broadcast as since opset 7.
template <typename Op> void importBroadcast(OnnxNodeImporter &importer, mlir::Value lhs, mlir::Value rhs) {
  if (mlir::failed(broadcastType(importer.typeOf(lhs), importer.typeOf(rhs))))
    importer.unsupported("the operands' shapes do not broadcast");
  importer.setOutput(0, importer.builder.create<Op>(importer.location, lhs, rhs).getResult());
}

/// The same for Add and its kin, whose weights are trained.
template <typename Op> void importBinary(OnnxNodeImporter &importer) {
  mlir::Value lhs = importer.operand(0);
  importBroadcast<Op>(importer, lhs, importer.operand(1));
}

} // namespace partyline
