//===- passes/verify_stages.h - what holds between the stages -------------===//
//
// Each function states what the passes before it must have left, and reports what is not so: a fault of the compiler.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/passes.h"

namespace partyline {

/// @model takes the batch and returns the network's output; every type follows from the operands.
mlir::LogicalResult verifyImported(mlir::ModuleOp module);
/// No spatial op is in NCHW form.
mlir::LogicalResult verifyLayout(mlir::ModuleOp module);
/// Every trained parameter is stored exactly once, with its own type; every op has a kernel or is a view.
mlir::LogicalResult verifyBackward(mlir::ModuleOp module);
/// Weights and gradients lie apart from each other; @update covers every element of the gradient arena once.
mlir::LogicalResult verifyOptimizer(mlir::ModuleOp module);
/// Every value that a kernel touches has a place.
mlir::LogicalResult verifyArena(mlir::ModuleOp module);

} // namespace partyline
