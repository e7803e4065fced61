//===- codegen/lower_step.h - party IR with places becomes a StepProgram --===//
#pragma once

#include "codegen/step_program.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace partyline::codegen {

/// The parts of the arena: byte offsets from its base, each a multiple of kArenaAlignment.
struct ArenaSections {
  int64_t weights = 0, gradients = 0;
  std::vector<int64_t> optimizer; ///< one per slot
  int64_t activations = 0;
  int64_t total = 0;
};

/// The sections for a module behind party-arena.
ArenaSections arenaSections(mlir::ModuleOp module);

struct LoweredStep {
  StepProgram program;
  /// Per tensor of the gradient arena, by its first element: the forwardBackward operation after which it is complete.
  std::map<int64_t, int64_t> readyAfter;
};

/// Turns the phases of a module behind party-arena into kernel calls on places in the arena.
LoweredStep lowerStep(mlir::ModuleOp module, const ArenaSections &sections);

/// Bytes from the arena's base of an argument or a returned value of a phase.
int64_t placeOf(mlir::Value value, const ArenaSections &sections);

} // namespace partyline::codegen
