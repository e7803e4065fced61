//===- codegen/step_emitter.h - from a step program to an object file -----===//
#pragma once

#include "codegen/step_program.h"

#include <string>

namespace partyline::codegen {

/// The step's module in MLIR's LLVM dialect, as text (for --dump-stages).
std::string printStepModule(const StepProgram &program, const std::string &target, const std::string &planHash);

/// The bytes of an object file that defines kStepLibrarySymbol and leaves the kernels' symbols undefined. `target` is
/// a resolved Halide target, `planHash` becomes StepLibrary::hash.
std::string emitStepObject(const StepProgram &program, const std::string &target, const std::string &planHash);

} // namespace partyline::codegen
