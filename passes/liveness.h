//===- passes/liveness.h - which buffers a phase needs, and for how long --===//
#pragma once

#include "passes/passes.h"
#include "passes/planner/arena.h"

#include "llvm/ADT/DenseMap.h"

namespace partyline {

/// Memory that values share: a value, its views, and results that were written over it.
struct Buffer {
  int64_t bytesPerSample = 0, bytesFixed = 0;
  int64_t lower = 0; ///< index of the op that makes it; arguments: 0, the batch is read before the first op
  int64_t upper = 0; ///< behind the last op that reads it; what the function returns lives to the end

  int64_t bytes(int64_t samples) const { return bytesPerSample * samples + bytesFixed; }
};

/// The buffers of a phase in the order of its ops. Weights and what lies in the gradient arena have none.
struct Liveness {
  std::vector<Buffer> buffers;
  llvm::DenseMap<mlir::Value, int64_t> bufferOf;

  /// The arena's problem for so many samples per call.
  planner::ArenaProblem problem(int64_t samples) const;
};

Liveness computeLiveness(mlir::func::FuncOp function);

/// The store that takes `value` straight into the gradient arena (store_gradient with in_place), or null.
party::StoreGradientOp inPlaceStore(mlir::Value value);

} // namespace partyline
