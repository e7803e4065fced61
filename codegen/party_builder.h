//===- codegen/party_builder.h - a planned model becomes a cluster binary -===//
#pragma once

#include "codegen/candidates.h"
#include "codegen/party_writer.h"
#include "ir/cluster.h"
#include "passes/plan.h"

#include "mlir/IR/BuiltinOps.h"

namespace partyline::codegen {

/// The candidate for a kernel of a class; kernels go by the symbols they have as candidate 0.
using DeviceChoice = std::function<int64_t(const std::string &device, const std::string &symbol)>;

struct BuildOptions {
  std::string inputName, outputName; ///< of the ONNX graph
  ManifestOptions training;
  ManifestPreprocess preprocess;
  DeviceChoice choice; ///< null: the formulas' schedules
  unsigned jobs = 0;   ///< kernel generators at a time; 0: one per core
  /// Called as a class's kernels come.
  std::function<void(const std::string &device, size_t done, size_t missing)> progress;
};

/// Gives every class's values their places, builds its step library in `workFolder` and describes all of it. What the
/// caller adds: initial weights, the model, cluster file and plan as text.
PartyContents buildParty(mlir::ModuleOp module, const Cluster &cluster, const Plan &plan, const BuildOptions &options,
                         const std::filesystem::path &workFolder);

} // namespace partyline::codegen
