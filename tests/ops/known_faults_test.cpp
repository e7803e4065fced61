//===- known_faults_test.cpp - what other systems have got wrong ----------===//
//
// Faults known of other training systems, each with numbers worked out on paper. Others of the kind stand in
// hand_worked_test.cpp: the weight gradient of a depthwise convolution with stride 2, ties of overlapping maxima, and
// the running statistics of batch_norm.
//
//===----------------------------------------------------------------------===//
#include "tests/ops/checks.h"
#include "tests/ops/imported_model.h"

#include "runtime/shared/error.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace partyline::ops_test {
namespace {

std::vector<float> repeated(int64_t count, float value) { return std::vector<float>(size_t(count), value); }

Batch oneSample(Shape shape, float value) {
  shape.insert(shape.begin(), 1);
  return {Tensor(shape, repeated(product(shape), value)), {0}, {0}};
}

/// A model of x + w0 for an input of zeros, with `build` behind it; the gradient of w0, label 0.
Tensor gradientBehind(const Shape &shape, float value, const std::function<Value(ModelBuilder &, Value)> &build) {
  ModelBuilder model(shape);
  Value x = model.add<party::AddOp>(model.input(), model.weight(shape, repeated(product(shape), value)));
  const Model finished = model.finish(model.flattened(build(model, x)));
  CompiledStep step(finished, 1);
  step.forwardBackward(oneSample(shape, 0), 1);
  return step.gradients().at("w0");
}

// Ones in 4x4, kernel 3, stride 2, pad 1, ceil_mode, padding not counted: along an axis the windows have the elements
// {0, 1}, {1, 2, 3} and {3}. All nine means are 1, so their gradients are 1/9, and 1/9 - 1 for the label's: the first.
TEST(KnownFaults, GradientOfAveragePoolsLastWindow) {
  const Tensor gradient = gradientBehind({1, 4, 4}, 1, [](ModelBuilder &model, Value x) {
    return model.add<party::AveragePoolOp>(x, Shape{3, 3}, Shape{2, 2}, Shape{1, 1, 1, 1}, false, true, false);
  });
  const float all[] = {1 / 2.0f, 1 / 2.0f + 1 / 3.0f, 1 / 3.0f, 1 / 3.0f + 1.0f}, first[] = {0.5f, 0.5f, 0, 0};
  std::vector<float> expected;
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column)
      expected.push_back(all[row] * all[column] / 9 - first[row] * first[column]);
  expectClose("the gradient", gradient, Tensor({1, 4, 4}, expected), 1e-6);
}

// 7x7, kernel 2, stride 3: windows begin at 0 and 3, so nothing sees rows and columns 2, 5 and 6. Zeros make four equal
// scores, of gradient 1/4, and 1/4 - 1 for the first.
TEST(KnownFaults, InputGradientWhereTheStrideDoesNotDivideTheInput) {
  const Tensor gradient = gradientBehind({1, 7, 7}, 0, [](ModelBuilder &model, Value x) {
    return model.add<party::ConvOp>(x, model.weight({1, 1, 2, 2}, repeated(4, 1)), Value(), Shape{3, 3},
                                    Shape{0, 0, 0, 0}, Shape{1, 1}, uint64_t(1), false);
  });
  Tensor expected({1, 7, 7});
  for (int64_t row : {0, 1, 3, 4})
    for (int64_t column : {0, 1, 3, 4})
      expected[7 * row + column] = row < 2 && column < 2 ? -0.75 : 0.25;
  expectClose("the gradient", gradient, expected, 1e-6);
}

// In training the output is of the batch's own statistics, whatever the momentum of the running ones.
TEST(KnownFaults, BatchNormsOutputDoesNotDependOnMomentum) {
  auto outputWith = [](double momentum) {
    ModelBuilder model({2, 2, 2});
    OpBuilder attributes(&context());
    Value scale = model.weight({2}), bias = model.weight({2});
    Value mean = model.weight({2}, -1, 1, kStateKind), variance = model.weight({2}, 0.5, 1, kStateKind);
    Value y = model.add<party::BatchNormOp>(model.scaled(model.input()), scale, bias, mean, variance,
                                            attributes.getF64FloatAttr(1e-5), attributes.getF64FloatAttr(momentum),
                                            UnitAttr());
    const Model finished = model.finish(model.flattened(y));
    CompiledStep step(finished, 3);
    return step.forwardBackward(batchFor(finished, 3), 1 / 3.0f).logits.data;
  };
  EXPECT_EQ(outputWith(0.9), outputWith(0));
  EXPECT_EQ(outputWith(0.9), outputWith(1));
}

OnnxNode nodeOf(const std::string &type, std::vector<std::string> inputs, const std::string &output) {
  OnnxNode node;
  node.name = type + "_of_" + output;
  node.opType = type;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  return node;
}

/// The graph of `nodes` from x [batch, 2] to y, with the initializer w: a matrix of zeros.
OnnxGraph graphOf(std::vector<OnnxNode> nodes, int64_t batch = -1) {
  OnnxGraph graph;
  graph.path = "model.onnx";
  graph.opset = 17;
  graph.inputs = {{"x", OnnxType::float32, true, {batch, 2}}};
  graph.outputs = {{"y", OnnxType::float32, false, {}}};
  graph.initializers["w"] = {"w", OnnxType::float32, {2, 2}, {0, 0, 0, 0}, {}};
  graph.nodes = std::move(nodes);
  return graph;
}

void expectRefused(const OnnxGraph &graph, const std::string &node) {
  try {
    importModel(graph, context());
    ADD_FAILURE() << node << " is taken";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find(node), std::string::npos) << error.what();
  }
}

// y = x w + x w of ones and zeros: both scores have the probability 1/2, so their gradients are -1/2 and 1/2, as are
// those of each use's rows. Both uses add up before the one update.
TEST(KnownFaults, OneInitializerUsedTwice) {
  const Model model = modelOf(importModel(
      graphOf({nodeOf("MatMul", {"x", "w"}, "a"), nodeOf("MatMul", {"x", "w"}, "b"), nodeOf("Add", {"a", "b"}, "y")}),
      context()));
  CompiledStep step(model, 1);
  step.forwardBackward(oneSample({2}, 1), 1);
  ASSERT_EQ(step.gradients().size(), 1u);
  expectClose("the gradient", step.gradients().at("w"), Tensor({2, 2}, {-1, 1, -1, 1}), 1e-6);
  step.update(0.5f);
  expectClose("the weight", step.weights().at("w"), Tensor({2, 2}, {0.5f, -0.5f, 0.5f, -0.5f}), 1e-6);
}

// An exporter merges initializers that happen to be equal, and leaves an Identity: two parameters all the same, each
// with the gradient of its own use.
TEST(KnownFaults, EqualInitializersBehindIdentity) {
  const Model model = modelOf(importModel(graphOf({nodeOf("Identity", {"w"}, "v"), nodeOf("MatMul", {"x", "w"}, "a"),
                                                   nodeOf("MatMul", {"x", "v"}, "b"), nodeOf("Add", {"a", "b"}, "y")}),
                                          context()));
  CompiledStep step(model, 1);
  step.forwardBackward(oneSample({2}, 1), 1);
  step.update(1);
  for (const char *name : {"w", "v"})
    expectClose(name, step.weights().at(name), Tensor({2, 2}, {0.5f, -0.5f, 0.5f, -0.5f}), 1e-6);
}

// An export with a batch of 1 or 2 has that number in the targets of its Reshapes: where the rest is one sample, it is
// the batch.
TEST(KnownFaults, ReshapeWithTheBatchBakedIn) {
  for (int64_t batch : {1, 2}) {
    OnnxGraph graph = graphOf({nodeOf("MatMul", {"x", "w"}, "h"), nodeOf("Reshape", {"h", "target"}, "y")}, batch);
    graph.initializers["target"] = {"target", OnnxType::int64, {2}, {}, {batch, 2}};
    const Model model = modelOf(importModel(graph, context()));
    CompiledStep step(model, 3); // of any batch
    EXPECT_EQ(step.forwardBackward(batchFor(model, 3), 1).logits.shape, (Shape{3, 2}));

    graph.initializers["target"].integers = {2 * batch, 1}; // samples would mix
    expectRefused(graph, "Reshape_of_y");
  }
}

// A dilated window of 2 over three elements, with one of padding on each side, sees the padding alone: there is no
// maximum, and no mean of elements that count.
TEST(KnownFaults, WindowsWhollyInPadding) {
  for (const char *type : {"MaxPool", "AveragePool"}) {
    OnnxNode pool = nodeOf(type, {"h"}, "p");
    pool.attributes["kernel_shape"] = std::vector<int64_t>{2, 2};
    pool.attributes["dilations"] = std::vector<int64_t>{4, 4};
    pool.attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
    OnnxGraph graph = graphOf({nodeOf("Add", {"x", "w"}, "h"), pool, nodeOf("Flatten", {"p"}, "y")});
    graph.opset = 19;
    graph.inputs[0].shape = {-1, 1, 3, 3};
    graph.initializers["w"] = {"w", OnnxType::float32, {1}, {0}, {}};
    expectRefused(graph, std::string(type) + "_of_p");
  }
}

} // namespace
} // namespace partyline::ops_test
