//===- passes/pipeline.h - the way of a model through the passes ----------===//
#pragma once

#include "passes/passes.h"

#include <functional>
#include <string>
#include <vector>

namespace partyline {

struct TrainingOptions {
  std::string loss = "cross_entropy";
  double labelSmoothing = 0;       ///< of cross_entropy
  std::vector<std::string> freeze; ///< patterns of parameters that are not trained
  std::string batchNorm = "train"; ///< or torch, frozen: the pass party-split-phases
  std::string optimizer = "sgd";
  double momentum = 0, weightDecay = 0;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8; ///< of adamw
  double trust = 0.001;                              ///< of lars
};

/// A point at which compilation can be stopped and the IR printed.
struct Stage {
  std::string name;
  std::string description;
};

/// The stages that the passes make, in order: import, loss, layout, backward, optimizer.
const std::vector<Stage> &stages();

/// Runs the passes from the imported module up to the stage `last` (all where empty), verifying after every stage and
/// calling `observe` with its name. Throws Error where a pass fails, with the diagnostics.
void runPipeline(mlir::ModuleOp module, const TrainingOptions &options, const std::string &last = "",
                 const std::function<void(const std::string &stage)> &observe = nullptr);

/// Gives every value its place for a micro-batch: the pass party-arena, verified.
void runArena(mlir::ModuleOp module, int64_t microBatch);

/// The dialects that a context needs.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace partyline
