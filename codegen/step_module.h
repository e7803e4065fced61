//===- codegen/step_module.h - a step program in MLIR's LLVM dialect ------===//
#pragma once

#include "codegen/step_program.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace partyline::codegen {

/// Builds the module of a step library: per distinct operation one adaptor (StepCall -> buffers -> kernel call), and
/// the constant tables that runtime/shared/step_abi.h describes. Only kStepLibrarySymbol is visible outside.
/// The module has no target yet and is not verified; `context` must have the LLVM dialect loaded.
mlir::OwningOpRef<mlir::ModuleOp> buildStepModule(mlir::MLIRContext &context, const StepProgram &program,
                                                  const std::string &planHash);

} // namespace partyline::codegen
