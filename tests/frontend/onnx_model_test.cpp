//===- tests/frontend/onnx_model_test.cpp - what a file must hold ---------===//

#include "frontend/half.h"
#include "frontend/onnx_model.h"
#include "tests/frontend/test_files.h"

#include <cstring>

namespace partyline::test {

/// x [N,2] -> Relu -> y, with an initializer w.
static ModelBuilder smallModel(int64_t opset = 17, int64_t irVersion = 8) {
  ModelBuilder builder(opset, irVersion);
  builder.input("x", {-1, 2}).output("y", {-1, 2});
  builder.floats("w", {2}, {1.5f, -2});
  builder.node("Mul", {"x", "w"}, {"h"});
  builder.node("Relu", {"h"}, {"y"});
  return builder;
}

static OnnxGraph load(const onnx::ModelProto &model) {
  TemporaryFolder folder;
  writeProto(model, folder / "m.onnx");
  return loadOnnxModel(folder / "m.onnx");
}

static void expectRefused(const onnx::ModelProto &model, ExitCode exitCode, std::vector<std::string> mentioned) {
  mentioned.push_back("m.onnx");
  expectError([&] { load(model); }, exitCode, mentioned);
}

TEST(OnnxModel, Loads) {
  OnnxGraph graph = load(smallModel().model);
  EXPECT_EQ(graph.opset, 17);
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.inputs[0].shape, (std::vector<int64_t>{-1, 2}));
  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_EQ(graph.nodes[1].name, "Relu_1");
  EXPECT_EQ(graph.initializers.at("w").floats, (std::vector<float>{1.5f, -2}));
}

TEST(OnnxModel, InitializersAreNoInputs) {
  ModelBuilder builder = smallModel(7, 3);
  builder.input("w", {2});
  OnnxGraph graph = load(builder.model);
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.inputs[0].name, "x");
}

TEST(OnnxModel, AttributesOfAllKinds) {
  ModelBuilder builder = smallModel();
  auto &node = builder.node("Foo", {"x"}, {"z"});
  node.set_domain("com.example");
  attribute(node, "i", 3);
  attribute(node, "is", {1, 2});
  auto &real = *node.add_attribute();
  real.set_name("f");
  real.set_type(onnx::AttributeProto::FLOAT);
  real.set_f(0.5f);
  auto &graph = *node.add_attribute();
  graph.set_name("g");
  graph.set_type(onnx::AttributeProto::GRAPH);
  graph.mutable_g()->set_name("inner");
  OnnxGraph loaded = load(builder.model);
  const OnnxNode &foo = loaded.nodes.back();
  EXPECT_EQ(foo.describe(), "node 'Foo_2' (com.example.Foo)");
  EXPECT_EQ(foo.integer("i", 0), 3);
  EXPECT_EQ(foo.integer("missing", 7), 7);
  EXPECT_EQ(foo.integers("is", {}), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(foo.real("f", 0), 0.5f);
  EXPECT_TRUE(foo.subgraph("g").nodes.empty());
  expectError([&] { foo.integer("f", 0); }, kWrongInput, {"Foo_2", "'f' must be an integer"});
}

TEST(OnnxModel, ElementTypes) {
  ModelBuilder builder = smallModel();
  auto &half = builder.floats("half", {2}, {});
  half.set_data_type(onnx::TensorProto::FLOAT16);
  half.clear_raw_data();
  half.add_int32_data(0x3c00);
  half.add_int32_data(0xc000);
  auto &real = builder.floats("double", {1}, {});
  real.set_data_type(onnx::TensorProto::DOUBLE);
  double value = 0.25;
  real.set_raw_data(&value, sizeof value);
  auto &small = builder.integers("int8", {2}, {});
  small.set_data_type(onnx::TensorProto::INT8);
  small.set_raw_data("\xff\x02", 2);
  builder.integers("int64", {}, {-7});
  OnnxGraph graph = load(builder.model);
  EXPECT_EQ(graph.initializers.at("half").floats, (std::vector<float>{1, -2}));
  EXPECT_EQ(graph.initializers.at("double").floats, (std::vector<float>{0.25f}));
  EXPECT_EQ(graph.initializers.at("int8").integers, (std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(graph.initializers.at("int64").integers, (std::vector<int64_t>{-7}));
}

TEST(OnnxModel, Versions) {
  EXPECT_NO_THROW(load(smallModel(7).model));
  EXPECT_NO_THROW(load(smallModel(21, 10).model));
  expectRefused(smallModel(6).model, kCannot, {"opset 6 "});
  expectRefused(smallModel(22).model, kCannot, {"opset 22 ", "7 to 21"});
  expectRefused(smallModel(17, 2).model, kCannot, {"IR version 2 "});
  ModelBuilder none = smallModel();
  none.model.clear_opset_import();
  expectRefused(none.model, kCannot, {"opset 1 "});
}

TEST(OnnxModel, NotAModel) {
  TemporaryFolder folder;
  for (const std::string &bytes :
       {std::string("hello, world\n"), std::string(1000, '\xff'), std::string(1000, '\0'), std::string()}) {
    writeFile(folder / "text.onnx", bytes);
    expectError([&] { loadOnnxModel(folder / "text.onnx"); }, kWrongInput, {"text.onnx"});
  }
  expectError([&] { loadOnnxModel(folder / "none.onnx"); }, kWrongInput, {"none.onnx: no such file"});
  expectError([&] { loadOnnxModel(folder.path); }, kWrongInput, {"not a file"});
  expectRefused(ModelBuilder().model, kWrongInput, {"the graph has no outputs"});
}

TEST(OnnxModel, DataAgainstShape) {
  ModelBuilder builder = smallModel();
  builder.floats("v", {3}, {1, 2});
  expectRefused(builder.model, kWrongInput, {"'v'", "8 bytes", "12"});
  builder = smallModel();
  builder.integers("v", {2, 2}, {1, 2, 3});
  expectRefused(builder.model, kWrongInput, {"'v'", "3 values", "[2,2]"});
  for (std::vector<int64_t> shape : {std::vector<int64_t>{-1},
                                     {int64_t(1) << 62, 4},
                                     {1 << 30, 1 << 30, 1 << 30},
                                     {0, int64_t(1) << 50},
                                     {0, int64_t(1) << 40}}) {
    builder = smallModel();
    builder.floats("v", shape, {});
    expectRefused(builder.model, kWrongInput, {"'v'"});
  }
  builder = smallModel();
  builder.floats("v", {2}, {1, 2}).set_data_type(onnx::TensorProto::COMPLEX64);
  expectRefused(builder.model, kCannot, {"'v'", "element type"});
}

TEST(OnnxModel, NamesAndOrder) {
  ModelBuilder builder = smallModel();
  builder.floats("w", {1}, {1});
  expectRefused(builder.model, kWrongInput, {"initializer 'w'", "two"});
  builder = smallModel();
  builder.node("Relu", {"nothing"}, {"z"});
  expectRefused(builder.model, kWrongInput, {"Relu_2", "'nothing'"});
  builder = smallModel();
  builder.node("Relu", {"x"}, {"h"});
  expectRefused(builder.model, kWrongInput, {"Relu_2", "'h', which exists already"});
  builder = smallModel();
  builder.graph().mutable_node()->SwapElements(0, 1);
  expectRefused(builder.model, kWrongInput, {"Relu_0", "'h'", "topological order"});
  builder = smallModel();
  builder.output("z");
  expectRefused(builder.model, kWrongInput, {"graph output 'z' is made by no node"});
}

/// An initializer v whose two floats lie in a file.
static ModelBuilder externalModel(const std::string &location, const std::string &offset = "0",
                                  const std::string &length = "8") {
  ModelBuilder builder = smallModel();
  auto &tensor = builder.floats("v", {2}, {});
  tensor.clear_raw_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  for (auto [key, value] : {std::pair("location", location), {"offset", offset}, {"length", length}}) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  return builder;
}

TEST(OnnxModel, ExternalData) {
  TemporaryFolder folder;
  fs::create_directory(folder / "model");
  const float values[] = {9, 3, 4};
  const std::string bytes(reinterpret_cast<const char *>(values), sizeof values);
  writeFile(folder / "model/v.data", bytes);
  writeFile(folder / "secret", bytes);
  fs::create_symlink(folder / "secret", folder / "model/link");
  fs::create_symlink(folder.path, folder / "model/up");
  fs::create_symlink("v.data", folder / "model/inside");
  auto loadWith = [&](const ModelBuilder &builder) {
    writeProto(builder.model, folder / "model/m.onnx");
    return loadOnnxModel(folder / "model/m.onnx").initializers.at("v").floats;
  };
  EXPECT_EQ(loadWith(externalModel("v.data", "4")), (std::vector<float>{3, 4}));
  EXPECT_EQ(loadWith(externalModel("./v.data")), (std::vector<float>{9, 3}));
  EXPECT_EQ(loadWith(externalModel("inside")), (std::vector<float>{9, 3}));
  auto refused = [&](const ModelBuilder &builder, const std::string &why) {
    expectError([&] { loadWith(builder); }, kWrongInput, {"m.onnx: initializer 'v'", why});
  };
  refused(externalModel("../secret"), "inside the model's folder");
  refused(externalModel("model/../../secret"), "inside the model's folder");
  refused(externalModel((folder / "secret").string()), "inside the model's folder");
  refused(externalModel(""), "inside the model's folder");
  refused(externalModel("link"), "a link out of the model's folder");
  refused(externalModel("up/secret"), "a link out of the model's folder");
  refused(externalModel("."), "");
  refused(externalModel("missing"), "missing");
  refused(externalModel("v.data", "8"), "beyond the end");
  refused(externalModel("v.data", "9223372036854775807"), "beyond the end");
  refused(externalModel("v.data", "0", "12"), "12 bytes");
  refused(externalModel("v.data", "-4"), "not a number of bytes");
  refused(externalModel("v.data", "0x0"), "not a number of bytes");
  // A model named by its bare file name lies in the current folder.
  const fs::path before = fs::current_path();
  writeProto(externalModel("v.data").model, folder / "model/m.onnx");
  fs::current_path(folder / "model");
  EXPECT_NO_THROW(loadOnnxModel("m.onnx"));
  fs::current_path(before);
}

} // namespace partyline::test
