//===- tests/frontend/constant_folding_test.cpp - one operator at a time --===//

#include "frontend/constant_folding.h"
#include "frontend/folding_rules.h"
#include "frontend/onnx_model.h"
#include "tests/frontend/test_files.h"

#include <limits>
#include <set>

namespace partyline::test {

using Shape = std::vector<int64_t>;
constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

/// Folds the nodes of a model as the importer does, with an activation x [N,3,8,8].
class Folding {
public:
  explicit Folding(ModelBuilder builder) {
    builder.input("x", {-1, 3, 8, 8}).output("x");
    writeProto(builder.model, folder / "m.onnx");
    graph = loadOnnxModel(folder / "m.onnx");
    arithmetic.emplace(graph, [](const std::string &name) -> std::optional<Shape> {
      if (name == "x")
        return Shape{-1, 3, 8, 8};
      return std::nullopt;
    });
    for (const OnnxNode &node : graph.nodes)
      if (arithmetic->canFold(node))
        arithmetic->fold(node);
  }

  const SymbolicValue &operator[](const std::string &name) const {
    const SymbolicValue *value = arithmetic->find(name);
    if (!value)
      throw std::runtime_error("'" + name + "' was not folded");
    return *value;
  }
  bool knows(const std::string &name) const { return arithmetic->find(name); }
  Shape integers(const std::string &name) const { return arithmetic->integers(name).value(); }
  std::vector<float> floats(const std::string &name) const { return (*this)[name].tensor->floats; }

  TemporaryFolder folder;
  OnnxGraph graph;
  std::optional<ShapeArithmetic> arithmetic;
};

static std::vector<SymbolicInteger> symbols(std::initializer_list<std::pair<int64_t, int64_t>> pairs) {
  std::vector<SymbolicInteger> result;
  for (auto [factor, constant] : pairs)
    result.push_back({factor, constant});
  return result;
}

TEST(Folding, ShapeAndSize) {
  ModelBuilder b;
  b.node("Shape", {"x"}, {"whole"});
  attribute(b.node("Shape", {"x"}, {"spatial"}), "start", -2);
  attribute(b.node("Shape", {"x"}, {"batch"}), "end", 1);
  b.node("Size", {"x"}, {"size"});
  b.floats("w", {4, 5}, std::vector<float>(20));
  b.node("Shape", {"w"}, {"ofWeight"});
  Folding f(b);
  EXPECT_EQ(f["whole"].elements, symbols({{1, 0}, {0, 3}, {0, 8}, {0, 8}}));
  EXPECT_EQ(f.integers("spatial"), (Shape{8, 8}));
  EXPECT_EQ(f["batch"].elements, symbols({{1, 0}}));
  EXPECT_EQ(f["size"].elements, symbols({{192, 0}}));
  EXPECT_EQ(f["size"].shape, Shape{});
  EXPECT_EQ(f.integers("ofWeight"), (Shape{4, 5}));
  expectError([&] { f.integers("batch"); }, kCannot, {"m.onnx: value 'batch'", "depends on the batch size"});
}

TEST(Folding, TheFlattenThatExportersWrite) {
  ModelBuilder b;
  b.integers("zero", {}, {0});
  b.integers("axes", {1}, {0});
  b.integers("rest", {1}, {-1});
  b.node("Shape", {"x"}, {"shape"});
  attribute(b.node("Gather", {"shape", "zero"}, {"n"}), "axis", 0);
  b.node("Unsqueeze", {"n", "axes"}, {"n1"});
  attribute(b.node("Concat", {"n1", "rest"}, {"target"}), "axis", 0);
  Folding f(b);
  EXPECT_EQ(f["n"].shape, Shape{});
  EXPECT_EQ(f["target"].elements, symbols({{1, 0}, {0, -1}}));
}

TEST(Folding, ConstantsOfAllForms) {
  ModelBuilder b;
  attribute(b.node("Constant", {}, {"i"}), "value_int", 7);
  attribute(b.node("Constant", {}, {"is"}), "value_ints", {1, 2});
  auto real = [&](onnx::NodeProto &node, const std::string &name) -> onnx::AttributeProto & {
    auto &attribute = *node.add_attribute();
    attribute.set_name(name);
    return attribute;
  };
  auto &f1 = real(b.node("Constant", {}, {"f"}), "value_float");
  f1.set_type(onnx::AttributeProto::FLOAT);
  f1.set_f(0.5f);
  auto &f2 = real(b.node("Constant", {}, {"fs"}), "value_floats");
  f2.set_type(onnx::AttributeProto::FLOATS);
  f2.add_floats(1);
  f2.add_floats(2);
  auto &t = real(b.node("Constant", {}, {"t"}), "value");
  t.set_type(onnx::AttributeProto::TENSOR);
  t.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
  t.mutable_t()->add_dims(1);
  t.mutable_t()->add_float_data(3);
  Folding f(b);
  EXPECT_EQ(f.integers("i"), Shape{7});
  EXPECT_EQ(f["i"].shape, Shape{});
  EXPECT_EQ(f.integers("is"), (Shape{1, 2}));
  EXPECT_EQ(f.floats("f"), std::vector<float>{0.5f});
  EXPECT_EQ(f.floats("fs"), (std::vector<float>{1, 2}));
  EXPECT_EQ(f.floats("t"), std::vector<float>{3});
  EXPECT_EQ(f["t"].tensor->name, "t");
  EXPECT_FALSE(f["t"].trainable);
  ModelBuilder text;
  auto &s = real(text.node("Constant", {}, {"s"}), "value_string");
  s.set_type(onnx::AttributeProto::STRING);
  s.set_s("word");
  expectError([&] { Folding refused(text); }, kCannot, {"Constant_0"});
}

TEST(Folding, ArithmeticInTheBatchSize) {
  ModelBuilder b;
  b.integers("two", {}, {2});
  b.integers("one", {}, {1});
  b.integers("minusOne", {}, {-1});
  b.integers("zero", {}, {0});
  attribute(b.node("Shape", {"x"}, {"batch"}), "end", 1);
  b.node("Mul", {"batch", "two"}, {"double"});
  b.node("Add", {"double", "two"}, {"sum"});
  b.node("Sub", {"sum", "batch"}, {"difference"});
  b.node("Div", {"sum", "two"}, {"half"});
  b.node("Div", {"double", "batch"}, {"ratio"});
  b.node("Equal", {"batch", "minusOne"}, {"isMinusOne"});
  b.node("Equal", {"half", "half"}, {"same"});
  b.node("Where", {"isMinusOne", "one", "batch"}, {"chosen"});
  b.node("Max", {"batch", "one"}, {"max"});
  b.node("Min", {"batch", "one", "zero"}, {"min"});
  b.node("Less", {"zero", "batch"}, {"positive"});
  b.node("Neg", {"batch"}, {"negative"});
  b.node("Abs", {"negative"}, {"absolute"});
  attribute(b.node("ReduceProd", {"batch"}, {"product"}), "keepdims", 0);
  Folding f(b);
  EXPECT_EQ(f["sum"].elements, symbols({{2, 2}}));
  EXPECT_EQ(f["difference"].elements, symbols({{1, 2}}));
  EXPECT_EQ(f["half"].elements, symbols({{1, 1}}));
  EXPECT_EQ(f.integers("ratio"), Shape{2});
  EXPECT_EQ(f.integers("isMinusOne"), Shape{0});
  EXPECT_EQ(f["isMinusOne"].type, OnnxType::boolean);
  EXPECT_EQ(f.integers("same"), Shape{1});
  EXPECT_EQ(f["chosen"].elements, symbols({{1, 0}}));
  EXPECT_EQ(f["max"].elements, symbols({{1, 0}}));
  EXPECT_EQ(f.integers("min"), Shape{0});
  EXPECT_EQ(f.integers("positive"), Shape{1});
  EXPECT_EQ(f["absolute"].elements, symbols({{1, 0}}));
  EXPECT_EQ(f["product"].elements, symbols({{1, 0}}));
  EXPECT_EQ(f["product"].shape, Shape{});
}

/// An operator on integers or floats, and what it makes of them.
struct WorkedCase {
  std::string op;
  std::vector<Shape> integers;
  std::vector<std::vector<float>> floats;
  std::vector<float> expected;
};

static const std::vector<WorkedCase> workedCases = {
    {"Add", {}, {{1, 2}, {0.5f}}, {1.5f, 2.5f}},
    {"Sub", {{7, 2}, {3}}, {}, {4, -1}},
    {"Mul", {}, {{1, -2}, {0.5f}}, {0.5f, -1}},
    {"Div", {{7, 9}, {2}}, {}, {3, 4}},
    {"Mod", {{7, -7}, {3}}, {}, {1, 2}}, // the divisor's sign
    {"Pow", {}, {{2, 3}, {2}}, {4, 9}},
    {"Min", {{1, 5}, {3}}, {}, {1, 3}},
    {"Max", {}, {{1, 5}, {3}}, {3, 5}},
    {"Equal", {{1, 2}, {2}}, {}, {0, 1}},
    {"Less", {{1, 2}, {2}}, {}, {1, 0}},
    {"LessOrEqual", {{1, 2, 3}, {2}}, {}, {1, 1, 0}},
    {"Greater", {{1, 2, 3}, {2}}, {}, {0, 0, 1}},
    {"GreaterOrEqual", {{1, 2, 3}, {2}}, {}, {0, 1, 1}},
    {"And", {{0, 0, 1, 1}, {0, 1, 0, 1}}, {}, {0, 0, 0, 1}},
    {"Or", {{0, 0, 1, 1}, {0, 1, 0, 1}}, {}, {0, 1, 1, 1}},
    {"Not", {{0, 1}}, {}, {1, 0}},
    {"Neg", {}, {{1, -2}}, {-1, 2}},
    {"Abs", {{1, -2}}, {}, {1, 2}},
    {"Floor", {}, {{2.5f, -2.5f}}, {2, -3}},
    {"Ceil", {}, {{2.5f, -2.5f}}, {3, -2}},
    {"Round", {}, {{2.5f, 3.5f, -1.2f}}, {2, 4, -1}}, // halves to the even number
    {"Sqrt", {}, {{4, 9}}, {2, 3}},
    {"Reciprocal", {}, {{4, -2}}, {0.25f, -0.5f}},
    {"ReduceProd", {{2, 3, 4}}, {}, {24}},
    {"ReduceSum", {{2, 3, 4}}, {}, {9}},
    {"ReduceMax", {{2, 5, 4}}, {}, {5}},
    {"ReduceMin", {{2, 5, 4}}, {}, {2}},
};

TEST(Folding, WorkedValues) {
  for (const WorkedCase &worked : workedCases) {
    SCOPED_TRACE(worked.op);
    ModelBuilder b;
    std::vector<std::string> inputs;
    auto next = [&](size_t elements) {
      inputs.push_back("in" + std::to_string(inputs.size()));
      return Shape{int64_t(elements)};
    };
    for (const Shape &values : worked.integers) {
      const Shape shape = next(values.size());
      b.integers(inputs.back(), shape, values);
    }
    for (const std::vector<float> &values : worked.floats) {
      // Constants, not parameters: these pass only where nothing changes them.
      const Shape shape = next(values.size());
      auto &node = b.node("Constant", {}, {inputs.back()});
      auto &value = *node.add_attribute();
      value.set_name("value");
      value.set_type(onnx::AttributeProto::TENSOR);
      value.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
      value.mutable_t()->add_dims(shape[0]);
      for (float element : values)
        value.mutable_t()->add_float_data(element);
    }
    b.node(worked.op, inputs, {"y"});
    Folding f(b);
    std::vector<float> result;
    if (worked.floats.empty())
      for (int64_t value : f.integers("y"))
        result.push_back(float(value));
    else
      result = f.floats("y");
    EXPECT_EQ(result, worked.expected);
  }
}

// `partyline ops` says so of every operator that is folded: the others have tests of their own here.
TEST(Folding, EveryOperatorHasWorkedValues) {
  std::set<std::string> tested = {"Shape",   "Size",     "Gather", "Unsqueeze", "Concat",         "Constant",
                                  "Where",   "Identity", "Slice",  "Expand",    "Squeeze",        "Transpose",
                                  "Reshape", "Range",    "Cast",   "CastLike",  "ConstantOfShape"};
  for (const WorkedCase &worked : workedCases)
    tested.insert(worked.op);
  for (const std::string &op : foldedOperators())
    EXPECT_TRUE(tested.count(op)) << op;
}

TEST(Folding, WhatIsNotAffineNamesTheNode) {
  auto refused = [](const std::string &opType, ExitCode exitCode, const std::string &why) {
    ModelBuilder b;
    b.integers("three", {}, {3});
    b.integers("zero", {}, {0});
    attribute(b.node("Shape", {"x"}, {"n"}), "end", 1);
    const bool same = opType == "Mul";
    b.node(opType, {"n", same ? "n" : why == "by zero" ? "zero" : "three"}, {"y"}).set_name("the-node");
    expectError([&] { Folding folding(b); }, exitCode, {"m.onnx: node 'the-node' (" + opType + ")", why});
  };
  refused("Mul", kCannot, "a product depends on the batch size");
  refused("Div", kCannot, "a quotient depends on the batch size");
  refused("Equal", kCannot, "a comparison depends on the batch size");
  refused("Min", kCannot, "a minimum or maximum depends on the batch size");
  refused("Div", kWrongInput, "by zero");
}

TEST(Folding, MovesElements) {
  ModelBuilder b;
  b.integers("v", {6}, {0, 1, 2, 3, 4, 5});
  b.integers("m", {2, 3}, {0, 1, 2, 3, 4, 5});
  b.integers("starts", {1}, {-1});
  b.integers("ends", {1}, {-kEnd});
  b.integers("axes", {1}, {0});
  b.integers("steps", {1}, {-2});
  b.integers("one", {1}, {1});
  b.integers("end", {1}, {kEnd});
  b.integers("columns", {2}, {-1, 0});
  b.integers("shape32", {2}, {3, -1});
  b.integers("shape213", {3}, {2, 2, 3});
  b.integers("unsqueezed", {2}, {0, -1});
  b.node("Slice", {"v", "starts", "ends", "axes", "steps"}, {"backwards"});
  b.node("Slice", {"m", "one", "end", "one"}, {"sliced"});
  attribute(b.node("Gather", {"m", "columns"}, {"gathered"}), "axis", 1);
  attribute(b.node("Concat", {"m", "m"}, {"wide"}), "axis", -1);
  b.node("Transpose", {"m"}, {"transposed"});
  b.node("Reshape", {"m", "shape32"}, {"reshaped"});
  b.node("Expand", {"m", "shape213"}, {"expanded"});
  b.node("Unsqueeze", {"v", "unsqueezed"}, {"unsq"});
  b.node("Squeeze", {"unsq"}, {"sq"});
  attribute(b.node("ReduceSum", {"m", "one"}, {"rows"}), "keepdims", 0);
  Folding f(b);
  EXPECT_EQ(f.integers("backwards"), (Shape{5, 3, 1}));
  EXPECT_EQ(f.integers("sliced"), (Shape{1, 2, 4, 5}));
  EXPECT_EQ(f["sliced"].shape, (Shape{2, 2}));
  EXPECT_EQ(f.integers("gathered"), (Shape{2, 0, 5, 3}));
  EXPECT_EQ(f["gathered"].shape, (Shape{2, 2}));
  EXPECT_EQ(f.integers("wide"), (Shape{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(f.integers("transposed"), (Shape{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(f["reshaped"].shape, (Shape{3, 2}));
  EXPECT_EQ(f.integers("expanded"), (Shape{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(f["unsq"].shape, (Shape{1, 6, 1}));
  EXPECT_EQ(f["sq"].shape, (Shape{6}));
  EXPECT_EQ(f.integers("rows"), (Shape{3, 12}));
}

TEST(Folding, AxesAndBoundsAsAttributesOfOldOpsets) {
  ModelBuilder b(9);
  b.integers("v", {1, 4}, {0, 1, 2, 3});
  auto &slice = b.node("Slice", {"v"}, {"sliced"});
  attribute(slice, "starts", Shape{1});
  attribute(slice, "ends", Shape{-1});
  attribute(slice, "axes", Shape{1});
  attribute(b.node("Squeeze", {"sliced"}, {"squeezed"}), "axes", Shape{0});
  attribute(b.node("Unsqueeze", {"squeezed"}, {"unsqueezed"}), "axes", Shape{1});
  Folding f(b);
  EXPECT_EQ(f.integers("squeezed"), (Shape{1, 2}));
  EXPECT_EQ(f["squeezed"].shape, (Shape{2}));
  EXPECT_EQ(f["unsqueezed"].shape, (Shape{2, 1}));
}

TEST(Folding, RangesAndFills) {
  ModelBuilder b;
  b.integers("from", {}, {5});
  b.integers("to", {}, {-2});
  b.integers("by", {}, {-3});
  b.integers("two", {1}, {2});
  b.node("Range", {"from", "to", "by"}, {"range"});
  b.node("ConstantOfShape", {"two"}, {"zeros"});
  attribute(b.node("Cast", {"range"}, {"real"}), "to", 1);
  b.node("Sqrt", {"zeros"}, {"root"});
  Folding f(b);
  EXPECT_EQ(f.integers("range"), (Shape{5, 2, -1}));
  EXPECT_EQ(f.floats("zeros"), (std::vector<float>{0, 0}));
  EXPECT_EQ(f.floats("real"), (std::vector<float>{5, 2, -1}));
  EXPECT_EQ(f.floats("root"), (std::vector<float>{0, 0}));
}

TEST(Folding, ParametersPassWhereTheirDataAreUnchanged) {
  ModelBuilder b;
  b.floats("w", {2, 3}, {0, 1, 2, 3, 4, 5});
  b.floats("scale", {}, {2});
  b.integers("same", {2}, {2, 3});
  b.integers("larger", {3}, {2, 2, 3});
  b.integers("flat", {1}, {6});
  attribute(b.node("Cast", {"w"}, {"cast"}), "to", 1);
  b.node("CastLike", {"cast", "x"}, {"like"});
  b.node("Expand", {"like", "same"}, {"alias"});
  b.node("Reshape", {"alias", "flat"}, {"reshaped"});
  b.node("Expand", {"w", "larger"}, {"copies"});
  b.node("Identity", {"w"}, {"own"});
  b.node("Identity", {"own"}, {"own2"});
  b.node("Mul", {"w", "scale"}, {"scaled"});
  b.node("Transpose", {"w"}, {"transposed"});
  b.node("Mul", {"scale", "scale"}, {"four"});
  Folding f(b);
  for (const char *name : {"w", "alias", "reshaped"}) {
    EXPECT_TRUE(f[name].trainable) << name;
    EXPECT_EQ(f[name].tensor->name, "w") << name;
    EXPECT_EQ(f[name].tensor.get(), &f.graph.initializers.at("w")) << "no copy of " << name;
  }
  EXPECT_EQ(f["reshaped"].shape, Shape{6});
  EXPECT_EQ(f["reshaped"].tensor->shape, (Shape{2, 3}));
  EXPECT_FALSE(f["copies"].trainable);
  EXPECT_EQ(f["copies"].tensor->name, "copies");
  EXPECT_EQ(f.floats("copies").size(), 12u);
  EXPECT_TRUE(f["own"].trainable);
  EXPECT_EQ(f["own"].tensor->name, "own");
  EXPECT_EQ(f["own2"].tensor->name, "own2");
  EXPECT_EQ(f.floats("own2"), f.floats("w"));
  EXPECT_FALSE(f.knows("scaled"));
  EXPECT_FALSE(f.knows("transposed"));
  EXPECT_EQ(f.floats("four"), std::vector<float>{4});
}

TEST(Folding, WhatCannotBeFolded) {
  ModelBuilder b;
  b.node("Relu", {"x"}, {"r"});
  b.node("Add", {"x", "x"}, {"a"});
  b.node("Shape", {"r"}, {"unknown"}); // no shape for r yet
  b.node("Shape", {"x"}, {"shape"});
  b.node("ConstantOfShape", {"shape"}, {"asLargeAsTheBatch"});
  auto &foreign = b.node("Identity", {"shape"}, {"foreign"});
  foreign.set_domain("com.example");
  Folding f(b);
  for (const char *name : {"r", "a", "unknown", "asLargeAsTheBatch", "foreign"})
    EXPECT_FALSE(f.knows(name)) << name;
}

TEST(Folding, HostileSizes) {
  auto refused = [](const std::function<void(ModelBuilder &)> &fill, ExitCode exitCode) {
    ModelBuilder b;
    fill(b);
    expectError([&] { Folding folding(b); }, exitCode, {"m.onnx: node"});
  };
  refused(
      [](ModelBuilder &b) {
        b.integers("huge", {1}, {int64_t(1) << 40});
        b.node("ConstantOfShape", {"huge"}, {"y"});
      },
      kCannot);
  refused(
      [](ModelBuilder &b) {
        b.integers("huge", {2}, {int64_t(1) << 40, int64_t(1) << 40});
        b.node("ConstantOfShape", {"huge"}, {"y"});
      },
      kWrongInput);
  refused(
      [](ModelBuilder &b) {
        b.integers("from", {}, {0});
        b.integers("to", {}, {kEnd});
        b.integers("by", {}, {1});
        b.node("Range", {"from", "to", "by"}, {"y"});
      },
      kWrongInput);
  refused(
      [](ModelBuilder &b) {
        b.integers("from", {}, {0});
        b.integers("by", {}, {0});
        b.node("Range", {"from", "by", "by"}, {"y"});
      },
      kWrongInput);
  refused(
      [](ModelBuilder &b) { // each allowed, together too much
        b.integers("large", {1}, {int64_t(1) << 24});
        for (const char *name : {"a", "b", "c", "d", "e"})
          b.node("ConstantOfShape", {"large"}, {name});
      },
      kCannot);
  refused(
      [](ModelBuilder &b) {
        b.integers("big", {1}, {kEnd});
        b.node("Mul", {"big", "big"}, {"y"});
      },
      kWrongInput);
  refused(
      [](ModelBuilder &b) {
        b.integers("v", {2}, {1, 2});
        b.integers("i", {}, {2});
        b.node("Gather", {"v", "i"}, {"y"});
      },
      kWrongInput);
  refused(
      [](ModelBuilder &b) {
        b.integers("v", {2}, {1, 2});
        attribute(b.node("Concat", {"v", "v"}, {"y"}), "axis", 1);
      },
      kWrongInput);
  refused([](ModelBuilder &b) { b.node("Gather", {}, {"y"}); }, kWrongInput);
}

} // namespace partyline::test
