//===- tests/frontend/exporter_test.cpp - trained weights in the user's graph//

#include "frontend/exporter.h"
#include "frontend/half.h"
#include "frontend/onnx_model.h"
#include "tests/frontend/test_files.h"

#include <cstring>
#include <set>

namespace partyline::test {

class Exporting : public testing::Test {
protected:
  onnx::ModelProto exported(const onnx::ModelProto &model, const std::map<std::string, TrainedTensor> &trained,
                            const std::map<std::string, std::string> &metadata = {}) {
    writeProto(model, folder / "in.onnx");
    exportModel(folder / "in.onnx", trained, folder / "out.onnx", metadata);
    loadOnnxModel(folder / "out.onnx"); // every check of the loader holds for what is exported
    return readProto(folder / "out.onnx");
  }
  static const onnx::TensorProto &initializer(const onnx::ModelProto &model, const std::string &name) {
    for (const auto &tensor : model.graph().initializer())
      if (tensor.name() == name)
        return tensor;
    throw std::runtime_error("no initializer " + name);
  }
  static std::vector<float> floats(const onnx::ModelProto &model, const std::string &name) {
    const std::string &raw = initializer(model, name).raw_data();
    std::vector<float> values(raw.size() / sizeof(float));
    std::memcpy(values.data(), raw.data(), raw.size());
    return values;
  }

  TemporaryFolder folder;
};

static ModelBuilder scaledModel(int64_t irVersion = 8) {
  ModelBuilder builder(13, irVersion);
  builder.input("x", {-1, 2}).output("y", {-1, 2});
  builder.floats("w", {2}, {1, 2});
  builder.node("Mul", {"x", "w"}, {"h"});
  builder.node("Relu", {"h"}, {"y"}).set_name("last");
  return builder;
}

TEST_F(Exporting, ReplacesWeightsAndNothingElse) {
  ModelBuilder builder = scaledModel();
  builder.model.set_producer_name("pytorch");
  builder.floats("other", {1}, {5});
  onnx::ModelProto out = exported(builder.model, {{"w", {{2}, {3, 4}}}}, {{"classes", "[\"a\",\"b\"]"}});
  EXPECT_EQ(floats(out, "w"), (std::vector<float>{3, 4}));
  ASSERT_EQ(out.metadata_props_size(), 1);
  EXPECT_EQ(out.metadata_props(0).key(), "classes");
  EXPECT_EQ(out.metadata_props(0).value(), "[\"a\",\"b\"]");
  // With the old weights and without metadata it is the file that came, byte for byte.
  out.clear_metadata_props();
  *out.mutable_graph()->mutable_initializer(0) = builder.graph().initializer(0);
  EXPECT_EQ(out.SerializeAsString(), builder.model.SerializeAsString());
}

TEST_F(Exporting, MetadataOfTheSameKeyIsReplaced) {
  ModelBuilder builder = scaledModel();
  auto *entry = builder.model.add_metadata_props();
  entry->set_key("classes");
  entry->set_value("old");
  onnx::ModelProto out = exported(builder.model, {}, {{"classes", "new"}});
  ASSERT_EQ(out.metadata_props_size(), 1);
  EXPECT_EQ(out.metadata_props(0).value(), "new");
}

TEST_F(Exporting, KeepsDataTypes) {
  ModelBuilder builder = scaledModel();
  for (auto [name, type] : {std::pair("half", onnx::TensorProto::FLOAT16),
                            {"double", onnx::TensorProto::DOUBLE},
                            {"bfloat", onnx::TensorProto::BFLOAT16}}) {
    auto &tensor = builder.floats(name, {1}, {});
    tensor.clear_raw_data();
    tensor.set_data_type(type);
    if (type == onnx::TensorProto::DOUBLE)
      tensor.add_double_data(1);
    else
      tensor.add_int32_data(0);
  }
  TrainedTensor tensor{{1}, {0.333f}};
  onnx::ModelProto out = exported(builder.model, {{"half", tensor}, {"double", tensor}, {"bfloat", tensor}});
  EXPECT_EQ(initializer(out, "half").data_type(), onnx::TensorProto::FLOAT16);
  OnnxGraph graph = loadOnnxModel(folder / "out.onnx");
  EXPECT_EQ(graph.initializers.at("half").floats[0], halfToFloat(floatToHalf(0.333f)));
  EXPECT_NEAR(graph.initializers.at("half").floats[0], 0.333f, 1e-4);
  EXPECT_EQ(graph.initializers.at("double").floats[0], 0.333f);
  EXPECT_NEAR(graph.initializers.at("bfloat").floats[0], 0.333f, 2e-3);
}

TEST_F(Exporting, WhatDoesNotFitTheModel) {
  const onnx::ModelProto model = scaledModel().model;
  expectError([&] { exported(model, {{"nobody", {{1}, {1}}}}); }, kWrongInput, {"in.onnx", "'nobody'"});
  expectError([&] { exported(model, {{"w", {{1, 2}, {1, 2}}}}); }, kWrongInput, {"'w'", "[2]", "[1,2]"});
  expectError([&] { exported(model, {{"w", {{2}, {1}}}}); }, kWrongInput, {"'w'"});
  EXPECT_FALSE(fs::exists(folder / "out.onnx"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1) << "only in.onnx";
}

TEST_F(Exporting, IdentitiesOfTrainedInitializers) {
  for (int64_t irVersion : {3, 8}) {
    ModelBuilder builder = scaledModel(irVersion);
    if (irVersion == 3)
      builder.input("w", {2});
    builder.node("Identity", {"w"}, {"trainedCopy"});
    builder.node("Identity", {"trainedCopy"}, {"copyOfCopy"});
    builder.node("Identity", {"w"}, {"frozenCopy"});
    builder.node("Sum", {"trainedCopy", "frozenCopy", "copyOfCopy"}, {"z"});
    builder.output("z", {2});
    onnx::ModelProto out =
        exported(builder.model, {{"w", {{2}, {3, 4}}}, {"trainedCopy", {{2}, {5, 6}}}, {"copyOfCopy", {{2}, {7, 8}}}});
    EXPECT_EQ(floats(out, "w"), (std::vector<float>{3, 4}));
    EXPECT_EQ(floats(out, "trainedCopy"), (std::vector<float>{5, 6}));
    EXPECT_EQ(floats(out, "copyOfCopy"), (std::vector<float>{7, 8}));
    EXPECT_EQ(floats(out, "frozenCopy"), (std::vector<float>{1, 2})) << "it was not trained: it keeps its data";
    ASSERT_EQ(out.graph().node_size(), 3);
    EXPECT_EQ(out.graph().node(2).op_type(), "Sum");
    EXPECT_EQ(out.graph().input_size(), irVersion == 3 ? 5 : 1);
  }
}

/// BatchNormalization in training form, its running mean an output of the graph.
static ModelBuilder normalizedModel(int64_t opset) {
  ModelBuilder builder(opset);
  builder.input("x", {-1, 2, 1, 1}).output("y", {-1, 2, 1, 1});
  for (const char *name : {"scale", "bias", "mean", "variance"})
    builder.floats(name, {2}, {1, 2});
  auto &node =
      builder.node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"}, {"h", "newMean", "newVar"});
  if (opset >= 14)
    attribute(node, "training_mode", 1);
  ModelBuilder::describe(*builder.graph().add_value_info(), "newMean", {2});
  ModelBuilder::describe(*builder.graph().add_value_info(), "h", {-1, 2, 1, 1});
  builder.node("Relu", {"h"}, {"y"});
  builder.output("newMean", {2});
  return builder;
}

TEST_F(Exporting, BatchNormalizationInInferenceForm) {
  for (int64_t opset : {9, 15}) {
    ModelBuilder builder = normalizedModel(opset);
    builder.node("Identity", {"newVar"}, {"kept"});
    builder.output("kept", {2});
    onnx::ModelProto out = exported(builder.model, {{"mean", {{2}, {8, 9}}}});
    const auto &node = out.graph().node(0);
    EXPECT_EQ(node.output_size(), 1);
    EXPECT_EQ(node.attribute_size(), 0);
    EXPECT_EQ(floats(out, "mean"), (std::vector<float>{8, 9}));
    ASSERT_EQ(out.graph().output_size(), 2);
    EXPECT_EQ(out.graph().output(1).name(), "kept");
    EXPECT_EQ(out.graph().node(2).input(0), "variance");
    EXPECT_EQ(out.graph().value_info_size(), 1);
  }
}

TEST_F(Exporting, DropoutInInferenceForm) {
  ModelBuilder builder = scaledModel();
  builder.floats("ratio", {}, {0.5f});
  auto &mode = builder.integers("mode", {}, {});
  mode.set_data_type(onnx::TensorProto::BOOL);
  mode.add_int32_data(1);
  builder.node("Dropout", {"x", "ratio", "mode"}, {"d"});
  builder.node("Dropout", {"d", "", "mode"}, {"e", "mask"});
  onnx::ModelProto out = exported(builder.model, {});
  EXPECT_EQ(out.graph().node(2).input_size(), 2);
  EXPECT_EQ(out.graph().node(2).input(1), "ratio");
  EXPECT_EQ(out.graph().node(3).input_size(), 1);
  EXPECT_EQ(initializer(out, "mode").name(), "mode");
}

TEST_F(Exporting, ExternalDataComeInsideOrStayOutside) {
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  ModelBuilder builder = scaledModel();
  auto &tensor = builder.floats("large", {1000}, {});
  tensor.clear_raw_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto *entry = tensor.add_external_data();
  entry->set_key("location");
  entry->set_value("weights.bin");
  writeFile(folder / "weights.bin", std::string(reinterpret_cast<const char *>(values.data()), 4000));
  writeProto(builder.model, folder / "in.onnx");

  exportModel(folder / "in.onnx", {}, folder / "inside.onnx", {});
  copyModel(folder / "in.onnx", folder / "copy.onnx");
  exportModel(folder / "in.onnx", {{"w", {{2}, {3, 4}}}}, folder / "outside.onnx", {}, 1000);
  fs::remove(folder / "weights.bin");
  EXPECT_FALSE(fs::exists(folder / "inside.onnx.data"));
  EXPECT_EQ(fs::file_size(folder / "outside.onnx.data"), 4000u);
  for (const char *name : {"inside.onnx", "copy.onnx", "outside.onnx"}) {
    OnnxGraph graph = loadOnnxModel(folder / name);
    EXPECT_EQ(graph.initializers.at("large").floats, values) << name;
    EXPECT_EQ(graph.initializers.at("w").floats[0], std::string(name) == "outside.onnx" ? 3 : 1);
  }
  expectError([&] { exportModel(folder / "in.onnx", {}, folder / "lost.onnx", {}); }, kWrongInput,
              {"in.onnx", "'large'", "weights.bin"});
}

TEST_F(Exporting, GoldenFilesKeepTheirNames) {
  if (goldenFolder().empty())
    GTEST_SKIP() << "../shared/data/golden is not there (set PARTYLINE_SHARED_DATA)";
  for (const auto &network : fs::directory_iterator(goldenFolder()))
    for (const char *name : {"legacy_train.onnx", "legacy_eval.onnx", "dynamo_train.onnx", "dynamo_eval.onnx"}) {
      SCOPED_TRACE(network.path() / name);
      onnx::ModelProto in = readProto(network.path() / name);
      std::map<std::string, TrainedTensor> trained;
      for (const auto &tensor : in.graph().initializer())
        if (tensor.data_type() == onnx::TensorProto::FLOAT)
          trained[tensor.name()] = {{tensor.dims().begin(), tensor.dims().end()},
                                    std::vector<float>(tensor.raw_data().size() / sizeof(float), 0.5f)};
      onnx::ModelProto out = exported(in, trained);
      EXPECT_EQ(out.ir_version(), in.ir_version());
      EXPECT_EQ(out.opset_import(0).version(), in.opset_import(0).version());
      std::set<std::string> before, after;
      for (const auto &node : in.graph().node())
        before.insert(node.output(0));
      for (const auto &node : out.graph().node())
        after.insert(node.output(0));
      for (const auto &tensor : out.graph().initializer())
        if (before.count(tensor.name())) // was an Identity
          after.insert(tensor.name());
      EXPECT_EQ(before, after);
    }
}

} // namespace partyline::test
