//===- exporter_forms_test.cpp - ways in which exporters write things -----===//
//
// What models are exported as where ONNX has a plainer form. Numbers worked out on paper.
//
//===----------------------------------------------------------------------===//
#include "tests/ops/checks.h"
#include "tests/ops/imported_model.h"
#include "tests/ops/reference.h"

#include "runtime/shared/error.h"

#include <gtest/gtest.h>

namespace partyline::ops_test {
namespace {

/// A graph of one input x, float32 of this shape, and h, the same behind a PRelu whose slope, a parameter, is 1.
class Graph {
public:
  explicit Graph(const Shape &shape) : shape(shape) {
    graph.opset = 18;
    graph.inputs = {{"x", OnnxType::float32, true, shape}};
    graph.initializers["slope"] = {"slope", OnnxType::float32, {1}, {1}, {}};
    node("PRelu", {"x", "slope"}, "h");
  }

  void integers(const std::string &name, const Shape &ofShape, const std::vector<int64_t> &values) {
    graph.initializers[name] = {name, OnnxType::int64, ofShape, {}, values};
  }

  OnnxNode &node(const std::string &type, const std::vector<std::string> &inputs, const std::string &output) {
    OnnxNode made;
    made.name = output;
    made.opType = type;
    made.inputs = inputs;
    made.outputs = {output};
    graph.nodes.push_back(made);
    return graph.nodes.back();
  }

  /// The output called y for one sample of 0, 1, 2...
  Tensor run() {
    graph.outputs = {{"y", OnnxType::float32, false, {}}};
    const Model model = modelOf(importModel(graph, context()));
    Shape batchShape = shape;
    batchShape[0] = 1;
    Tensor x(batchShape);
    for (int64_t i = 0; i < x.size(); ++i)
      x[i] = double(i);
    Batch batch{x, {0}, {0}};
    ReferenceRun run{model.weights, batch, false, {}};
    return interpretValues(model, run)
        .at(model.function().getBody().front().getTerminator()->getOperand(0).getAsOpaquePointer());
  }

private:
  Shape shape;
  OnnxGraph graph;
};

// PyTorch's chunk(2, 1) and split, as torch.export leaves them: 4 rows of 2 in parts of 3 and 1, the last one taken.
TEST(ExporterForms, PartsThroughSequences) {
  Graph graph({-1, 4, 2});
  graph.integers("three", {}, {3});
  graph.integers("last", {}, {-1});
  graph.node("SplitToSequence", {"h", "three"}, "parts").attributes["axis"] = int64_t(1);
  graph.node("SequenceAt", {"parts", "last"}, "y");
  expectClose("the last part", graph.run(), Tensor({1, 1, 2}, {6, 7}), 0);
}

TEST(ExporterForms, PartsOfOneElementWithoutTheirDimension) {
  Graph graph({-1, 2, 3});
  graph.integers("second", {}, {1});
  OnnxNode &split = graph.node("SplitToSequence", {"h"}, "parts");
  split.attributes["axis"] = int64_t(-1);
  split.attributes["keepdims"] = int64_t(0);
  graph.node("SequenceAt", {"parts", "second"}, "y");
  expectClose("the second column", graph.run(), Tensor({1, 2}, {1, 4}), 0);
}

TEST(ExporterForms, PlacesThatAreNone) {
  Graph graph({-1, 4, 2});
  graph.integers("two", {1}, {2});
  graph.integers("sizes", {2}, {2, 2});
  graph.node("SplitToSequence", {"h", "sizes"}, "parts").attributes["axis"] = int64_t(1);
  graph.node("SequenceAt", {"parts", "two"}, "y");
  try {
    graph.run();
    ADD_FAILURE() << "the third of two parts is taken";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("no place 2 in a sequence of 2"), std::string::npos) << error.what();
  }
}

// The transposed keys of scaled_dot_product_attention: PyTorch's exporter makes one dimension of batch and heads.
TEST(ExporterForms, BatchMergedWithHeads) {
  Graph graph({-1, 2, 2, 3});
  graph.integers("merged", {3}, {-1, 2, 3});
  graph.integers("apart", {4}, {-1, 2, 3, 2});
  graph.node("Reshape", {"h", "merged"}, "matrices");
  graph.node("Transpose", {"matrices"}, "transposed").attributes["perm"] = std::vector<int64_t>{0, 2, 1};
  graph.node("Reshape", {"transposed", "apart"}, "y");
  expectClose("the keys", graph.run(), Tensor({1, 2, 3, 2}, {0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}), 0);
}

TEST(ExporterForms, NothingIsComputedOnAMergedBatch) {
  Graph graph({-1, 2, 2, 3});
  graph.integers("merged", {3}, {-1, 2, 3});
  graph.node("Reshape", {"h", "merged"}, "matrices");
  graph.node("Relu", {"matrices"}, "y");
  try {
    graph.run();
    ADD_FAILURE() << "Relu of a merged batch";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("merged with another dimension in 'matrices'"), std::string::npos)
        << error.what();
  }
}

} // namespace
} // namespace partyline::ops_test
