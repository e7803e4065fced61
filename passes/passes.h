//===- passes/passes.h - the passes over a training step ------------------===//
#pragma once

#include "ir/party.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace partyline {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

/// Names of the module's and the functions' attributes that passes leave for those behind them.
inline constexpr llvm::StringLiteral kGradientElements = "party.gradient_elements",
                                     kWeightElements = "party.weight_elements",
                                     kOptimizerSlots = "party.optimizer_slots", kOffsets = "party.offsets",
                                     kFrozenParameters = "party.frozen_parameters",
                                     kActivationBytes = "party.activation_bytes", kInputView = "party.view",
                                     kInputPermutation = "party.permutation";

/// The function of a phase; null where the module has none.
inline mlir::func::FuncOp phaseFunction(mlir::ModuleOp module, llvm::StringRef name) {
  return module.lookupSymbol<mlir::func::FuncOp>(name);
}

/// The function of a phase, party ops on tensors in one block; fails, with an error, where there is none like that.
mlir::FailureOr<mlir::func::FuncOp> requirePhase(mlir::ModuleOp module, llvm::StringRef name);

/// Those of a step's phases that are there, one at least: @forward_backward, @evaluate.
mlir::FailureOr<llvm::SmallVector<mlir::func::FuncOp>> requirePhases(mlir::ModuleOp module);

/// The loss whose result a phase's function returns first; null where it returns none.
party::LossOpInterface lossOf(mlir::func::FuncOp function);

} // namespace partyline
