//===- frontend/importer.h - an ONNX graph becomes party ops --------------===//
#pragma once

#include "frontend/onnx_graph.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>
#include <vector>

namespace partyline {

/// A module with @model(input [N, ...], sample ids [N]) -> output [N, ...], and what stays outside the IR: the weights'
/// values, in ONNX order, by the names of the party.parameter ops. A graph with a loss becomes
/// @model(input, sample ids, labels) -> (losses, output), where the output is what the loss is of.
struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::map<std::string, std::vector<float>> weights;
  std::string inputName, outputName;
  std::string loss; ///< the node that is the training loss, for messages; empty: none
  int64_t batchNorms = 0, dropouts = 0;
  int64_t convolutions = 0, biasedConvolutions = 0;
  std::string producer;               ///< what wrote the file
  std::vector<std::string> constants; ///< float initializers that are not trained
  std::vector<std::string> shared;    ///< parameters of several nodes, trained as one
};

/// Imports a graph. Throws Error (cannot) that lists every node which cannot be trained, with the reason.
ImportedModel importModel(const OnnxGraph &graph, mlir::MLIRContext &context);

} // namespace partyline
