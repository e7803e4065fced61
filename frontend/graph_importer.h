//===- frontend/graph_importer.h - a graph on its way into party ops ------===//
#pragma once

#include "frontend/constant_folding.h"
#include "frontend/importer.h"
#include "ir/op_helpers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>
#include <set>

namespace partyline {

/// Why a node cannot be trained. Never leaves importModel.
struct Unsupported {
  std::string why;
};

/// What importing has made so far.
class GraphImporter {
public:
  GraphImporter(const OnnxGraph &graph, mlir::MLIRContext &context)
      : graph(graph), builder(&context), arithmetic(graph, [this](const std::string &name) { return shapeOf(name); }) {}

  ImportedModel run();

  const OnnxGraph &graph;
  mlir::OpBuilder builder;
  ShapeArithmetic arithmetic;
  std::map<std::string, mlir::Value> values; ///< activations by name
  std::map<std::string, mlir::Value> merged; ///< those whose batch is merged with the next dimension, without that
  std::map<std::string, llvm::SmallVector<mlir::Value>> sequences;
  llvm::DenseSet<mlir::Value> trained; ///< values that depend on a parameter
  ImportedModel result;
  mlir::Value sampleIds;
  mlir::Value losses, scores; ///< of the loss in the graph; null where there is none
  std::string lossName, scoresName, labelsName;

  std::optional<std::vector<int64_t>> shapeOf(const std::string &name) const;
  mlir::Value weight(const std::string &name, llvm::StringRef kind, mlir::Location location);
  mlir::Value constant(const std::string &name, llvm::ArrayRef<int64_t> shape, const std::vector<float> &values);
  mlir::Value labels(const std::string &name, llvm::ArrayRef<int64_t> shape);
  mlir::Value flags(const std::string &name, const SymbolicValue &known);
  void train(mlir::Value value);

private:
  void makeFunction();
  mlir::Value output();
  party::ParameterOp makeWeight(const std::string &name, llvm::StringRef kind, llvm::ArrayRef<int64_t> shape);
  void importNode(const OnnxNode &node);
  void importBranch(const OnnxNode &node);
  void refuse(const OnnxNode &node, const std::string &why);
  void verifyModule();

  mlir::func::FuncOp function;
  std::map<std::string, party::ParameterOp> weights; ///< by weight name
  llvm::DenseSet<mlir::Value> trainedThroughViews;   ///< weights that train() found
  std::set<std::string> refused;                     ///< values that a refused node would have made
  std::vector<std::string> messages;
};

/// Whether the size of a sample can be computed with: far beyond any memory, and far from overflow.
bool isOfUsualSize(llvm::ArrayRef<int64_t> shape);

/// A node as the operators' import functions see it (node_importer.cpp). Both must outlive it.
std::unique_ptr<OnnxNodeImporter> makeNodeImporter(GraphImporter &importer, const OnnxNode &node);

} // namespace partyline
