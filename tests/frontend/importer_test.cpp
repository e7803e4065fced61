//===- tests/frontend/importer_test.cpp - graphs that cannot be trained ---===//

#include "frontend/importer.h"
#include "frontend/onnx_model.h"
#include "passes/pipeline.h"
#include "tests/frontend/test_files.h"
#include "tests/planner/fuzz.h"

#include <limits>

namespace partyline::test {

/// Imports a model and takes it through all passes.
static void import(const std::string &bytes) {
  TemporaryFolder folder;
  writeFile(folder / "m.onnx", bytes);
  const OnnxGraph graph = loadOnnxModel(folder / "m.onnx");
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  ImportedModel model = importModel(graph, context);
  runPipeline(*model.module, {});
}

static void expectRefused(const ModelBuilder &builder, ExitCode exitCode, std::vector<std::string> mentioned) {
  mentioned.push_back("m.onnx");
  expectError([&] { import(builder.model.SerializeAsString()); }, exitCode, mentioned);
}

static void realAttribute(onnx::NodeProto &node, const std::string &name, float value) {
  auto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
}

static std::vector<float> someFloats(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(0.01f * float(i % 7 - 3));
  return values;
}

/// A network of every kind of node: shape arithmetic, a residual, windows, statistics, dropout, a head.
static ModelBuilder network() {
  ModelBuilder builder(17);
  builder.input("x", {-1, 2, 8, 8}).output("y", {-1, 3});
  builder.floats("w", {4, 2, 3, 3}, someFloats(72));
  for (const char *name : {"b", "scale", "shift", "mean"})
    builder.floats(name, {4}, someFloats(4));
  builder.floats("variance", {4}, {1, 1, 1, 1});
  builder.floats("e", {4, 1, 1}, someFloats(4));
  builder.floats("v", {3, 64}, someFloats(192));
  builder.floats("c", {3}, someFloats(3));
  builder.floats("ratio", {}, {0.25f});
  builder.integers("one", {1}, {-1});
  builder.integers("axis", {1}, {2});
  auto &conv = builder.node("Conv", {"x", "w", "b"}, {"h1"});
  attribute(conv, "kernel_shape", {3, 3});
  attribute(conv, "pads", {1, 1, 1, 1});
  attribute(conv, "strides", {1, 1});
  attribute(conv, "group", 1);
  auto &norm = builder.node("BatchNormalization", {"h1", "scale", "shift", "mean", "variance"}, {"h2"});
  realAttribute(norm, "epsilon", 1e-5f);
  realAttribute(norm, "momentum", 0.9f);
  builder.node("Relu", {"h2"}, {"h3"});
  auto &maximum = builder.node("MaxPool", {"h3"}, {"h4"});
  attribute(maximum, "kernel_shape", {3, 3});
  attribute(maximum, "pads", {1, 1, 1, 1});
  attribute(maximum, "strides", {2, 2});
  attribute(maximum, "ceil_mode", 0);
  builder.node("Mul", {"h4", "e"}, {"h5"});
  builder.node("Sigmoid", {"h5"}, {"h6"});
  builder.node("Add", {"h5", "h6"}, {"h7"});
  builder.node("Dropout", {"h7", "ratio"}, {"h8"});
  auto &turn = builder.node("Transpose", {"h8"}, {"h9"});
  attribute(turn, "perm", {0, 2, 3, 1});
  builder.node("Shape", {"h9"}, {"s1"});
  auto &first = builder.node("Gather", {"s1", "zero"}, {"s2"});
  attribute(first, "axis", 0);
  builder.integers("zero", {1}, {0});
  auto &joined = builder.node("Concat", {"s2", "one"}, {"s3"});
  attribute(joined, "axis", 0);
  builder.node("Reshape", {"h9", "s3"}, {"h10"});
  builder.node("Unsqueeze", {"h10", "axis"}, {"h11"});
  builder.node("Squeeze", {"h11", "axis"}, {"h12"});
  auto &product = builder.node("Gemm", {"h12", "v", "c"}, {"h13"});
  attribute(product, "transB", 1);
  realAttribute(product, "alpha", 1);
  auto &probability = builder.node("Softmax", {"h13"}, {"y"});
  attribute(probability, "axis", -1);
  return builder;
}

TEST(Importer, TakesTheNetwork) { EXPECT_NO_THROW(import(network().model.SerializeAsString())); }

// PyTorch writes a Linear without bias so where it folds no constants. Two uses, each behind a Transpose of its own.
TEST(Importer, TrainsWeightsBehindTransposes) {
  ModelBuilder builder;
  builder.input("x", {-1, 2}).output("y");
  builder.floats("w", {2, 2}, {1, 2, 3, 4});
  for (const std::string layer : {"1", "2"}) {
    attribute(builder.node("Transpose", {"w"}, {"w" + layer}), "perm", {1, 0});
    builder.node("MatMul", {layer == "1" ? "x" : "h", "w" + layer}, {layer == "1" ? "h" : "y"});
  }
  EXPECT_NO_THROW(import(builder.model.SerializeAsString())) << "a model without a parameter is refused";
}

// What exporters write for squeeze() and for LocalResponseNorm: the condition follows from shapes. The branch that is
// not taken may hold anything.
TEST(Importer, TakesTheBranchOfAKnownCondition) {
  for (int64_t rows : {1, 2}) {
    ModelBuilder builder;
    builder.input("x", {-1, rows, 4}).output("y");
    builder.floats("v", {4, 4}, someFloats(16));
    builder.integers("axis", {1}, {1});
    builder.integers("one", {}, {1});
    builder.node("MatMul", {"x", "v"}, {"h1"});
    builder.node("Shape", {"h1"}, {"s"});
    attribute(builder.node("Gather", {"s", "one"}, {"size"}), "axis", 0);
    builder.node("Equal", {"size", "one"}, {"condition"});
    auto &branch = builder.node("If", {"condition"}, {"y"});
    branch.set_name("branch");
    for (const std::string name : {"then_branch", "else_branch"}) {
      auto &attribute = *branch.add_attribute();
      attribute.set_name(name);
      attribute.set_type(onnx::AttributeProto::GRAPH);
      auto &node = *attribute.mutable_g()->add_node();
      node.set_op_type(name == "then_branch" ? "Squeeze" : "Einsum");
      node.set_name("inner");
      node.add_input("h1");
      if (name == "then_branch")
        node.add_input("axis");
      node.add_output("result");
      attribute.mutable_g()->add_output()->set_name("result");
    }
    if (rows == 1)
      EXPECT_NO_THROW(import(builder.model.SerializeAsString()));
    else
      expectRefused(builder, kCannot, {"1 node cannot be trained", "'inner' (Einsum)"});
  }
}

TEST(Importer, RefusesAConditionThatIsComputed) {
  ModelBuilder builder;
  builder.input("x", {-1, 2}).output("y");
  builder.floats("w", {2, 2}, someFloats(4));
  builder.node("MatMul", {"x", "w"}, {"h"});
  builder.node("If", {"h"}, {"y"}).set_name("branch");
  expectRefused(builder, kCannot, {"'branch' (If): its condition is not constant"});
}

TEST(Importer, NamesAllNodesThatCannotBeTrainedAtOnce) {
  ModelBuilder builder;
  builder.input("x", {-1, 2}).output("y");
  builder.floats("w", {2}, {1, 2});
  builder.node("Mul", {"x", "w"}, {"a"});
  builder.node("Einsum", {"a"}, {"b"}).set_name("first");
  builder.node("Relu", {"b"}, {"c"}).set_name("between");
  builder.node("LSTM", {"c"}, {"d"}).set_name("second");
  auto &foreign = builder.node("Gelu", {"d"}, {"y"});
  foreign.set_name("third");
  foreign.set_domain("com.example");
  expectRefused(builder, kCannot,
                {"3 nodes cannot be trained", "node 'first' (Einsum)", "node 'second' (LSTM)",
                 "node 'third' (com.example.Gelu)"});
  try {
    import(builder.model.SerializeAsString());
  } catch (const Error &error) {
    EXPECT_EQ(std::string(error.what()).find("between"), std::string::npos) << error.what();
  }
}

/// The network with one of its nodes changed.
static ModelBuilder changed(const std::string &opType, const std::function<void(onnx::NodeProto &)> &change) {
  ModelBuilder builder = network();
  for (auto &node : *builder.graph().mutable_node())
    if (node.op_type() == opType)
      change(node);
  return builder;
}

/// The network with values in place of a list attribute's or an initializer's.
static ModelBuilder withInts(const std::string &opType, const std::string &name, const std::vector<int64_t> &values) {
  return changed(opType, [&](onnx::NodeProto &node) {
    for (int i = node.attribute_size() - 1; i >= 0; --i)
      if (node.attribute(i).name() == name)
        node.mutable_attribute()->DeleteSubrange(i, 1);
    attribute(node, name, values);
  });
}

TEST(Importer, AttributesOfNoSense) {
  constexpr int64_t huge = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
  for (int64_t value : {huge, least, int64_t(0), int64_t(-1), int64_t(1) << 40}) {
    expectRefused(withInts("Conv", "strides", {value, 1}), kCannot, {"Conv_0", "strides"});
    expectRefused(withInts("Conv", "dilations", {1, value}), kCannot, {"Conv_0", "dilations"});
    expectRefused(withInts("MaxPool", "kernel_shape", {value, 1}), kCannot, {"MaxPool_3", "kernel_shape"});
    if (value != 0)
      expectRefused(withInts("Conv", "pads", {value, 0, value, 0}), kCannot, {"Conv_0", "pads"});
  }
  expectRefused(withInts("MaxPool", "pads", {3, 0, 0, 0}), kCannot, {"MaxPool_3", "in the padding alone"});
  expectRefused(withInts("Transpose", "perm", {1, 0, 2, 3}), kCannot, {"Transpose_8", "batch"});
  for (int64_t axis : {int64_t(1), int64_t(13), huge, least})
    expectRefused(withInts("Transpose", "perm", {0, axis, 1, 3}), kCannot, {"Transpose_8", "permutation"});
  expectRefused(changed("Unsqueeze", [](onnx::NodeProto &node) { node.set_input(1, "c"); }), kWrongInput,
                {"node 'Unsqueeze_13'", "'c'", "must be integers"});
  expectRefused(withInts("Conv", "group", {1, 2}), kWrongInput, {"Conv_0", "'group' must be an integer"});
  for (float epsilon : {-1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    expectRefused(
        changed("BatchNormalization", [&](onnx::NodeProto &node) { node.mutable_attribute(0)->set_f(epsilon); }),
        kCannot, {"BatchNormalization_1", "epsilon"});
}

TEST(Importer, WeightsThatDependOnTheBatch) {
  auto useInput = [](onnx::NodeProto &node) { node.set_input(1, node.input(0)); };
  expectRefused(changed("Conv", useInput), kCannot, {"Conv_0", "weight"});
  expectRefused(changed("Gemm", useInput), kCannot, {"Gemm_15", "matrix without a batch"});
}

TEST(Importer, ShapesOfNoSense) {
  constexpr int64_t huge = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
  for (std::vector<int64_t> shape : {std::vector<int64_t>{-1, -1},
                                     {-1, huge},
                                     {-1, least},
                                     {-1, -64},
                                     {-1, int64_t(1) << 32, int64_t(1) << 32},
                                     {0, 0, 0, 0, 0, 1},
                                     {64, -1},
                                     {}}) {
    ModelBuilder builder = changed("Reshape", [](onnx::NodeProto &node) { node.set_input(1, "target"); });
    builder.integers("target", {int64_t(shape.size())}, shape);
    expectRefused(builder, kCannot, {"Reshape_12", "shape"});
  }
  // The batch times another dimension, with which nothing can be computed.
  ModelBuilder merged = changed("Reshape", [](onnx::NodeProto &node) { node.set_input(1, "target"); });
  merged.integers("target", {2}, {-1, 0});
  expectRefused(merged, kCannot, {"Unsqueeze_13", "the batch is merged"});
  // Numbers that are none become no shape.
  ModelBuilder builder = changed("Reshape", [](onnx::NodeProto &node) { node.set_input(1, "integers"); });
  builder.floats("nan", {2}, {-1, std::numeric_limits<float>::quiet_NaN()});
  attribute(builder.node("Cast", {"nan"}, {"integers"}), "to", 7);
  builder.graph().mutable_node()->SwapElements(builder.graph().node_size() - 1, 0);
  builder.graph().mutable_node(0)->set_name("cast");
  std::rotate(builder.graph().mutable_node()->pointer_begin() + 1, builder.graph().mutable_node()->pointer_end() - 1,
              builder.graph().mutable_node()->pointer_end());
  expectRefused(builder, kWrongInput, {"cast", "no integer"});
}

TEST(Importer, InputsOfNoSense) {
  for (std::vector<int64_t> shape : {std::vector<int64_t>{-1, 2, 0, 8}, {-1, 2, -1, 8}, {-1}, {}}) {
    ModelBuilder builder = network();
    ModelBuilder::describe(*(builder.graph().clear_input(), builder.graph().add_input()), "x", shape);
    expectRefused(builder, kCannot, {"'x'"});
  }
  ModelBuilder builder = network();
  ModelBuilder::describe(*(builder.graph().clear_input(), builder.graph().add_input()), "x",
                         {-1, 2, int64_t(1) << 40, int64_t(1) << 40});
  expectRefused(builder, kCannot, {"'x'", "too large"});
  builder = network();
  builder.input("unused", {-1, 3});
  expectRefused(builder, kCannot, {"2 inputs"});
  builder = network();
  builder.graph().mutable_output(0)->set_name("w");
  expectRefused(builder, kCannot, {"'w'", "does not depend on any parameter"});
  builder = changed("Mul", [](onnx::NodeProto &node) { node.set_input(1, "none"); });
  builder.floats("none", {0}, {});
  expectRefused(builder, kCannot, {"Mul_4", "'none'"});
}

/// A network around one node, which makes "t" of "c" = x w, of shape [N, 2, 3], and of others.
static ModelBuilder around(const std::string &opType, const std::vector<std::string> &inputs, int64_t opset = 20) {
  ModelBuilder builder(opset);
  builder.input("x", {-1, 2, 3}).output("y");
  builder.floats("w", {2, 3}, {1, 2, 3, 4, 5, 6});
  builder.floats("v", {6, 2}, someFloats(12));
  builder.floats("k", {3}, {1, 2, 3});
  builder.floats("s", {2, 1}, {0.5f, 0.25f});
  builder.integers("two", {}, {2});
  builder.integers("wide", {3}, {1, 2, 3});
  builder.integers("low", {1}, {-3});
  builder.node("Mul", {"x", "w"}, {"c"});
  builder.node("Greater", {"c", "k"}, {"g"});
  builder.node(opType, inputs, {"t"}).set_name("node");
  builder.node("Mul", {"c", "t"}, {"p"});
  builder.node("Flatten", {"p"}, {"f"});
  builder.node("Gemm", {"f", "v"}, {"y"});
  return builder;
}

/// Scores of three classes for four places, and their loss.
static ModelBuilder lossNetwork(const std::string &op = "SoftmaxCrossEntropyLoss") {
  ModelBuilder builder(13);
  builder.input("x", {-1, 2, 4}).input("y", {-1, 4}).output("loss");
  builder.graph().mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::INT64);
  builder.floats("w", {3, 2, 1}, someFloats(6));
  builder.floats("weights", {3}, {1, 0, 2});
  builder.node("Conv", {"x", "w"}, {"scores"});
  attribute(builder.node(op, {"scores", "y", "weights"}, {"loss"}), "ignore_index", 255);
  return builder;
}

TEST(Importer, TakesALossWithItsLabels) {
  for (const char *op : {"SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"})
    EXPECT_NO_THROW(import(lossNetwork(op).model.SerializeAsString()));
  ModelBuilder builder = lossNetwork();
  builder.output("scores").output("logarithms");
  builder.graph().mutable_node(1)->add_output("logarithms");
  EXPECT_NO_THROW(import(builder.model.SerializeAsString()));
  builder = lossNetwork(); // where the graph does not say its outputs' shape, or that the loss is one
  builder.graph().mutable_output(0)->set_name("scores");
  EXPECT_NO_THROW(import(builder.model.SerializeAsString()));
}

TEST(Importer, LossesOfNoSense) {
  const auto refuse = [](const std::function<void(onnx::GraphProto &)> &change, const std::vector<std::string> &said) {
    ModelBuilder builder = lossNetwork();
    change(builder.graph());
    expectRefused(builder, kCannot, said);
  };
  refuse([](auto &graph) { graph.mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(1); },
         {"labels 'y'", "int32 or int64"});
  refuse(
      [](auto &graph) {
        graph.mutable_input(1)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_value(
            5);
      },
      {"labels 'y'", "[N,5]", "need [N,4]"});
  refuse([](auto &graph) { *graph.mutable_node(1)->mutable_input(1) = "weights"; }, {"2 inputs"});
  refuse([](auto &graph) { graph.mutable_node(1)->mutable_attribute(0)->set_i(int64_t(1) << 32); },
         {"ignore_index", "32-bit"});
  refuse([](auto &graph) { *graph.mutable_node(1)->mutable_input(2) = "w"; }, {"6 class weights for 3 classes"});
  refuse(
      [](auto &graph) {
        auto &reduction = *graph.mutable_node(1)->add_attribute();
        reduction.set_name("reduction");
        reduction.set_type(onnx::AttributeProto::STRING);
        reduction.set_s("median");
      },
      {"'median'", "mean, none and sum"});

  ModelBuilder builder = lossNetwork();
  builder.node("Neg", {"loss"}, {"minus"});
  builder.output("minus");
  expectRefused(builder, kCannot, {"nothing may come behind the loss 'loss'"});
  builder = lossNetwork();
  builder.node("Mul", {"scores", "y"}, {"product"});
  expectRefused(builder, kCannot, {"'Mul_2'", "'y' holds labels"});
  builder = lossNetwork();
  builder.node("SoftmaxCrossEntropyLoss", {"scores", "y"}, {"other"});
  expectRefused(builder, kCannot, {"'SoftmaxCrossEntropyLoss_2'", "there is a loss already"});
  builder = ModelBuilder(13);
  builder.input("x", {-1, 2, 4}).input("y", {-1, 4}).output("scores");
  builder.floats("w", {3, 2, 1}, someFloats(6));
  builder.node("Conv", {"x", "w"}, {"scores"});
  expectRefused(builder, kCannot, {"2 inputs and 1 outputs"});
}

TEST(Importer, ElementwiseOperators) {
  for (const char *opType :
       {"Exp", "Log", "Sqrt", "Reciprocal", "Abs", "Neg", "Erf", "Gelu", "HardSwish", "HardSigmoid", "Softplus",
        "Softsign", "Mish", "Selu", "ThresholdedRelu", "Sum", "Mean", "Max", "Min"})
    EXPECT_NO_THROW(import(around(opType, {"c"}).model.SerializeAsString())) << opType;
  const std::vector<std::pair<std::string, std::vector<std::string>>> nodes = {
      {"Sum", {"c", "k", "c"}}, {"Mean", {"c", "k"}},       {"Max", {"c", "k", "x"}},
      {"Min", {"k", "c"}},      {"Pow", {"c", "two"}},      {"Pow", {"c", "k"}},
      {"PRelu", {"c", "s"}},    {"Where", {"g", "c", "k"}}, {"Expand", {"c", "wide"}}};
  for (const auto &[opType, inputs] : nodes)
    EXPECT_NO_THROW(import(around(opType, inputs).model.SerializeAsString())) << opType;
}

TEST(Importer, ElementwiseOperatorsOfNoSense) {
  expectRefused(around("Gelu", {"c"}, 19), kCannot, {"'node' (Gelu)", "before opset 20"});
  ModelBuilder builder = around("Gelu", {"c"});
  for (auto &node : *builder.graph().mutable_node())
    if (node.op_type() == "Gelu") {
      auto &approximate = *node.add_attribute();
      approximate.set_name("approximate");
      approximate.set_type(onnx::AttributeProto::STRING);
      approximate.set_s("cosh");
    }
  expectRefused(builder, kCannot, {"'node' (Gelu)", "cosh"});
  builder = around("Selu", {"c"});
  for (auto &node : *builder.graph().mutable_node())
    if (node.op_type() == "Selu")
      realAttribute(node, "alpha", -1);
  expectRefused(builder, kCannot, {"'node' (Selu)", "negative"});
  builder = around("PRelu", {"c", "slopes"});
  builder.floats("slopes", {2}, {1, 2});
  expectRefused(builder, kCannot, {"'node' (PRelu)", "slope"});
  builder = around("Pow", {"c", "nan"});
  builder.floats("nan", {}, {std::numeric_limits<float>::quiet_NaN()});
  expectRefused(builder, kCannot, {"'node' (Pow)", "finite"});
  expectRefused(around("Where", {"g", "two", "c"}), kCannot, {"'node' (Where)", "'two' holds int64"});
  expectRefused(around("Max", {"c", ""}), kCannot, {"'node' (Max)", "input 1 is missing"});
  expectRefused(around("Expand", {"c", "low"}), kCannot, {"'node' (Expand)", "shape"});
  expectRefused(around("Expand", {"c", "k"}), kCannot, {"'node' (Expand)", "shape is not constant"});
  builder = around("Expand", {"c", "other"});
  builder.integers("other", {2}, {2, 7});
  expectRefused(builder, kCannot, {"'node' (Expand)", "does not broadcast"});
}

/// Changes one thing in the model: mostly to something that some file might hold.
static void mutate(onnx::GraphProto &graph, planner::Random &random) {
  static const std::vector<int64_t> numbers = {0,
                                               1,
                                               2,
                                               3,
                                               4,
                                               5,
                                               7,
                                               8,
                                               13,
                                               64,
                                               255,
                                               256,
                                               257,
                                               65536,
                                               int64_t(1) << 20,
                                               1 << 30,
                                               -1,
                                               -2,
                                               -3,
                                               -4,
                                               int64_t(1) << 31,
                                               int64_t(1) << 32,
                                               int64_t(1) << 40,
                                               int64_t(1) << 62,
                                               std::numeric_limits<int64_t>::max(),
                                               std::numeric_limits<int64_t>::min()};
  auto number = [&] { return numbers[random.integer(0, int64_t(numbers.size()) - 1)]; };
  auto &node = *graph.mutable_node(int(random.integer(0, graph.node_size() - 1)));
  auto &tensor = *graph.mutable_initializer(int(random.integer(0, graph.initializer_size() - 1)));
  auto name = [&]() -> std::string {
    if (random.oneIn(3))
      return graph.initializer(int(random.integer(0, graph.initializer_size() - 1))).name();
    const auto &maker = graph.node(int(random.integer(0, graph.node_size() - 1)));
    return maker.output_size() ? maker.output(0) : "";
  };
  switch (random.integer(0, 13)) {
  case 0:
    if (node.input_size())
      node.set_input(int(random.integer(0, node.input_size() - 1)), name());
    break;
  case 1:
    node.set_op_type(graph.node(int(random.integer(0, graph.node_size() - 1))).op_type());
    break;
  case 2: {
    static const char *others[] = {"AveragePool", "GlobalAveragePool",
                                   "ReduceMean",  "LogSoftmax",
                                   "Flatten",     "MatMul",
                                   "Sub",         "Tanh",
                                   "Identity",    "Expand",
                                   "Cast",        "Slice",
                                   "Constant",    "ConstantOfShape",
                                   "Range",       "Where",
                                   "Pow",         "Div"};
    node.set_op_type(others[random.integer(0, 17)]);
    break;
  }
  case 3:
    if (node.attribute_size())
      node.mutable_attribute()->DeleteSubrange(int(random.integer(0, node.attribute_size() - 1)), 1);
    break;
  case 4:
  case 5:
    if (node.attribute_size()) {
      auto &changed = *node.mutable_attribute(int(random.integer(0, node.attribute_size() - 1)));
      if (changed.ints_size() && !random.oneIn(4))
        changed.set_ints(int(random.integer(0, changed.ints_size() - 1)), number());
      else if (random.oneIn(2))
        changed.add_ints(number());
      changed.set_i(number());
      static const float reals[] = {0, -1, 1e30f, std::numeric_limits<float>::quiet_NaN(), 0.5f};
      changed.set_f(reals[random.integer(0, 4)]);
    }
    break;
  case 6:
    if (node.attribute_size())
      node.mutable_attribute(int(random.integer(0, node.attribute_size() - 1)))
          ->set_type(onnx::AttributeProto::AttributeType(random.integer(0, 14)));
    break;
  case 7: {
    static const char *names[] = {"axis", "axes", "keepdims", "auto_pad", "ceil_mode", "transA", "allowzero", "to"};
    attribute(node, names[random.integer(0, 7)], number());
    break;
  }
  case 8:
    if (tensor.dims_size())
      tensor.set_dims(int(random.integer(0, tensor.dims_size() - 1)), number());
    else
      tensor.add_dims(number());
    break;
  case 9:
    tensor.add_dims(random.oneIn(2) ? 1 : number());
    break;
  case 10:
    tensor.set_data_type(int(random.integer(0, 23)));
    break;
  case 11:
    for (auto &value : *tensor.mutable_int64_data())
      value = number();
    break;
  case 12: {
    auto &input = *graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    input.mutable_dim(int(random.integer(0, input.dim_size() - 1)))->set_dim_value(number());
    break;
  }
  default:
    if (node.input_size() && random.oneIn(2))
      node.mutable_input()->RemoveLast();
    else
      node.add_input(name());
  }
}

// A crash or a hang fails the test; run it alone with PARTYLINE_FUZZ_SEED to see which seed.
TEST(Importer, EveryFileIsTakenOrRefused) {
  const std::string whole = network().model.SerializeAsString();
  planner::fuzz(2, [&](planner::Random &random) {
    std::string bytes = whole;
    if (random.oneIn(5)) {
      for (int64_t i = random.integer(0, 3); i >= 0; --i)
        bytes[random.integer(0, int64_t(bytes.size()) - 1)] = char(random.integer(0, 255));
      if (random.oneIn(2))
        bytes.resize(random.integer(0, int64_t(bytes.size())));
    } else {
      onnx::ModelProto model = (random.oneIn(4) ? lossNetwork() : network()).model;
      for (int64_t i = random.integer(0, 2); i >= 0; --i)
        mutate(*model.mutable_graph(), random);
      if (random.oneIn(4)) // as other versions of the standard would read it
        model.mutable_opset_import(0)->set_version(random.integer(7, 21));
      bytes = model.SerializeAsString();
    }
    try {
      import(bytes);
    } catch (const Error &error) {
      EXPECT_TRUE(error.exitCode == kWrongInput || error.exitCode == kCannot) << error.what();
    }
  });
}

} // namespace partyline::test
