//===- tools/commands/compiling.h - what plan and compile share -----------===//
#pragma once

#include "frontend/importer.h"
#include "ir/cluster.h"
#include "passes/pipeline.h"
#include "passes/plan.h"
#include "runtime/shared/manifest.h"

#include "mlir/IR/MLIRContext.h"

#include <CLI/App.hpp>
#include <memory>
#include <string>

namespace partyline::commands {

/// The options that make a plan.
struct CompileOptions {
  std::string model, cluster;
  int64_t ranks = 1; ///< -n, where the cluster names no hosts
  TrainingOptions training;
  double learningRate = 0.01, clipNorm = 0;
  std::string learningRateSchedule = "constant", warmup = "0";
  int64_t globalBatch = 0;
  std::string microBatch = "auto";
  std::string memoryLimit;
  int64_t batchNormBatch = 8;
  int64_t seed = 0;
  bool noShuffle = false;
  std::string preprocess = "none";
  std::string dumpStages; ///< folder
  std::string compileTo;  ///< stage to stop at and print
  bool verbose = false;
};

void addCompileOptions(CLI::App &command, CompileOptions &options);
/// Those of them that say how the model is trained (training_options.cpp).
void addTrainingOptions(CLI::App &command, CompileOptions &options);
/// Throws an Error where options do not go together.
void checkTrainingOptions(const TrainingOptions &training);

/// A model on its way: imported, run through the passes, planned.
struct Compilation {
  std::unique_ptr<mlir::MLIRContext> context;
  ImportedModel model;
  Cluster cluster;
  Plan plan;            ///< empty where `stopped`
  bool stopped = false; ///< at --compile-to, which has been printed
};

Compilation planModel(const CompileOptions &options);

/// What the manifest says of these options.
ManifestOptions manifestOptions(const CompileOptions &options);

/// Writes text to a file, beside it and renamed, or to the standard output where the name is empty or "-".
void writeText(const std::string &file, const std::string &text);

} // namespace partyline::commands
