//===- ir/element_loss.h - losses that are means over a sample's elements -===//
#pragma once

#include "ir/op_helpers.h"

namespace partyline {

/// The type of the losses of `values` against `targets`: one number per sample; fails, with an error, where the two do
/// not have one type.
mlir::LogicalResult inferElementLoss(std::optional<mlir::Location> location, mlir::Value values, mlir::Value targets,
                                     llvm::SmallVectorImpl<mlir::Type> &types);

/// The kernel `family` of such a loss: every sample is a row.
KernelCall elementLossKernel(mlir::Operation *op, llvm::StringRef family);

/// The kernel of its gradient, which is multiplied by factor / elements of a sample / global batch.
KernelCall elementLossGradientKernel(mlir::Operation *op, llvm::StringRef family, double factor = 1);

/// So many operations per element.
OpCost elementLossCost(mlir::Operation *op, double operations);

} // namespace partyline
