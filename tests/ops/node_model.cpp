//===- node_model.cpp -----------------------------------------------------===//
#include "tests/ops/node_model.h"

#include "tests/ops/imported_model.h"

#include "frontend/onnx_file.h"
#include "frontend/onnx_model.h"
#include "ir/onnx_imports.h"
#include "runtime/shared/error.h"

#include <algorithm>
#include <fstream>
#include <set>

namespace fs = std::filesystem;

namespace partyline::ops_test {

static OnnxTensor readTensor(const fs::path &file) {
  onnx::TensorProto tensor;
  std::ifstream stream(file, std::ios::binary);
  if (!tensor.ParseFromIstream(&stream))
    throw inputError(file.string() + ": this is no tensor");
  return takeTensor(tensor, file.parent_path(), file.string());
}

NodeTest::NodeTest(const fs::path &folder) {
  try {
    graph = loadOnnxModel(folder / "model.onnx");
    const fs::path data = folder / "test_data_set_0";
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      inputs.push_back(readTensor(data / ("input_" + std::to_string(i) + ".pb")));
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      const OnnxTensor output = readTensor(data / ("output_" + std::to_string(i) + ".pb"));
      outputs.emplace_back(output.shape, output.floats);
      outputTypes.push_back(output.type);
    }
  } catch (const Error &) { // sequences, strings, later IR versions
    graph = {};
  }
}

bool NodeTest::isTrainable() const {
  return !graph.nodes.empty() && std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const OnnxNode &node) {
    return node.domain.empty() && findOnnxImport(node.opType);
  });
}

bool NodeTest::isChecked(size_t index) const {
  const bool isStatistic = index > 0 && (isTraining() || graph.nodes[0].opType == "LayerNormalization");
  return outputTypes[index] == OnnxType::float32 && outputs[index].size() > 0 && !isStatistic;
}

bool NodeTest::isTraining() const {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const OnnxNode &node) { return node.integer("training_mode", 0) != 0; });
}

bool NodeTest::isLoss() const {
  return graph.nodes.size() == 1 &&
         (graph.nodes[0].opType == "SoftmaxCrossEntropyLoss" || graph.nodes[0].opType == "NegativeLogLikelihoodLoss");
}

bool NodeTest::isRandom() const {
  return graph.nodes.size() == 1 && graph.nodes[0].opType == "Dropout" && inputs.size() == 3 &&
         inputs[2].integers == std::vector<int64_t>{1} && inputs[1].floats != std::vector<float>{0};
}

bool NodeTest::isFloat() const {
  return !inputs.empty() && inputs[0].type == OnnxType::float32 && !outputs.empty() && isChecked(0);
}

static OnnxTensor integers(const std::string &name, std::vector<int64_t> values) {
  OnnxTensor tensor;
  tensor.name = name;
  tensor.type = OnnxType::int64;
  tensor.shape = {int64_t(values.size())};
  tensor.integers = std::move(values);
  return tensor;
}

static OnnxNode makeNode(const std::string &type, std::vector<std::string> inputs, const std::string &output) {
  OnnxNode node;
  node.name = "around_" + output;
  node.opType = type;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  return node;
}

static OnnxTensor weightOfOne() {
  OnnxTensor one;
  one.name = "around.weight";
  one.shape = {1, 1, 1};
  one.floats = {1};
  return one;
}

// The graph that makes output `index` from the first input, with a batch or (constant) as a constant, and times 1.
static OnnxGraph trainableGraph(const NodeTest &test, size_t index, bool constant) {
  OnnxGraph graph = test.graph;
  const std::string result = graph.outputs[index].name;
  const int64_t elements = test.outputs[index].size();
  for (size_t i = constant ? 0 : 1; i < test.inputs.size(); ++i) {
    OnnxTensor tensor = test.inputs[i];
    tensor.name = graph.inputs[i].name;
    graph.initializers.emplace(tensor.name, tensor);
  }
  std::string whole = result;
  if (constant) {
    graph.initializers.emplace("around.row", integers("around.row", {1, elements}));
    graph.inputs = {{"around.zeros", OnnxType::float32, true, {-1, elements}}};
    graph.nodes.push_back(makeNode("Reshape", {result, "around.row"}, "around.rows"));
    graph.nodes.push_back(makeNode("Add", {"around.zeros", "around.rows"}, "around.sum"));
    whole = "around.sum";
  } else {
    graph.inputs.resize(1);
    graph.inputs[0].shape = test.inputs[0].shape;
    graph.inputs[0].shape[0] = -1;
    graph.inputs[0].hasShape = true;
  }
  graph.initializers.emplace("around.weight", weightOfOne());
  graph.initializers.emplace("around.image", integers("around.image", {0, 1, -1}));
  graph.initializers.emplace("around.flat", integers("around.flat", {0, -1}));
  graph.nodes.push_back(makeNode("Reshape", {whole, "around.image"}, "around.channel"));
  graph.nodes.push_back(makeNode("Conv", {"around.channel", "around.weight"}, "around.product"));
  graph.nodes.push_back(makeNode("Reshape", {"around.product", "around.flat"}, "around.output"));
  graph.outputs = {{"around.output", OnnxType::float32, false, {}}};
  return graph;
}

// The graph of a loss, on the first input times 1 and on labels. Its class weights are constants.
static OnnxGraph lossGraph(const NodeTest &test) {
  OnnxGraph graph = test.graph;
  std::vector<int64_t> shape = test.inputs[0].shape;
  shape[0] = 0; // for a Reshape: as it is
  graph.initializers.emplace("around.image", integers("around.image", {0, 1, -1}));
  graph.initializers.emplace("around.shape", integers("around.shape", shape));
  graph.initializers.emplace("around.weight", weightOfOne());
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    OnnxTensor tensor = test.inputs[i];
    tensor.name = graph.inputs[i].name;
    if (i > 1)
      graph.initializers.emplace(tensor.name, tensor);
    else
      graph.inputs[i].shape[0] = -1;
  }
  graph.inputs.resize(2);
  const std::string scores = graph.inputs[0].name;
  graph.inputs[0].name = "around.input";
  const OnnxNode before[] = {makeNode("Reshape", {"around.input", "around.image"}, "around.channel"),
                             makeNode("Conv", {"around.channel", "around.weight"}, "around.product"),
                             makeNode("Reshape", {"around.product", "around.shape"}, scores)};
  graph.nodes.insert(graph.nodes.begin(), std::begin(before), std::end(before));
  return graph;
}

static NodeModel import(const OnnxGraph &graph) {
  NodeModel result;
  result.model = modelOf(importModel(graph, context()));
  return result;
}

static NodeModel import(const NodeTest &test, size_t index, bool constant) {
  NodeModel result = import(trainableGraph(test, index, constant));
  const OnnxTensor &first = test.inputs[0];
  const int64_t samples = constant ? 1 : first.shape[0];
  result.batch.inputs = constant ? Tensor(Shape{1, test.outputs[index].size()}) : Tensor(first.shape, first.floats);
  result.batch.labels.assign(size_t(samples), 0);
  result.batch.sampleIds.assign(size_t(samples), 0);
  return result;
}

NodeModel importNodeTest(const NodeTest &test, size_t index) {
  if (test.isLoss()) {
    NodeModel result = import(lossGraph(test));
    result.batch.inputs = Tensor(test.inputs[0].shape, test.inputs[0].floats);
    result.batch.labels.assign(test.inputs[1].integers.begin(), test.inputs[1].integers.end());
    result.batch.sampleIds.assign(size_t(test.inputs[0].shape[0]), 0);
    return result;
  }
  if (test.inputs[0].shape.size() < 2 || test.outputs[index].shape.empty() ||
      test.outputs[index].shape[0] != test.inputs[0].shape[0])
    return import(test, index, true);
  try {
    return import(test, index, false);
  } catch (const Error &) {
    return import(test, index, true);
  }
}

} // namespace partyline::ops_test
