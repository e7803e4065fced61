//===- node_model.h - a node test of ONNX as a model ----------------------===//
#pragma once

#include "tests/ops/batch.h"
#include "tests/ops/model_builder.h"

#include "frontend/onnx_graph.h"

#include <filesystem>

namespace partyline::ops_test {

/// A folder of ONNX's node tests: a graph of a node or a few, its inputs and what it makes of them.
struct NodeTest {
  NodeTest() = default;
  explicit NodeTest(const std::filesystem::path &folder);

  /// Whether all its operators are in the table or are folded away.
  bool isTrainable() const;
  /// Whether its first input and its outputs are float32 data.
  bool isFloat() const;
  /// Whether its outputs are those of training: of a batch's statistics, or (Dropout) random.
  bool isTraining() const;
  bool isRandom() const;
  /// Whether it is a loss: its second input are labels, output 0 the losses as its attribute `reduction` says.
  bool isLoss() const;
  /// Whether output `index` is float32 data that a trained graph can use: no mean and no deviation beside a result.
  bool isChecked(size_t index) const;

  OnnxGraph graph;                ///< its inputs are still inputs
  std::vector<OnnxTensor> inputs; ///< in the order of graph.inputs
  std::vector<Tensor> outputs;
  std::vector<OnnxType> outputTypes;
};

/// A node test made trainable: the model returns the node's output as [samples, ...], flattened, times a weight of 1;
/// of a loss, the losses and its other output.
struct NodeModel {
  Model model;
  Batch batch;
};

/// The model that returns output `index`. The first input's first dimension is the batch; where the node does not keep
/// it, all of the first input is a constant, added to a sample of zeros. Throws Error where neither can be trained.
NodeModel importNodeTest(const NodeTest &test, size_t index);

/// The names of ONNX's node tests whose operators can be trained and that can be run (node_test.cpp).
const std::vector<std::string> &runnableNodeTests();

} // namespace partyline::ops_test
