// The zoo: every network builds, is the graph that it says, and is the same whenever it is built from the same seed.
#include "models/zoo.h"

#include "models/graph_builder.h"
#include "runtime/shared/error.h"

#include <onnx/onnx_pb.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

using namespace partyline;
using namespace partyline::models;

namespace {

std::map<std::string, const onnx::TensorProto *> initializers(const onnx::ModelProto &model) {
  std::map<std::string, const onnx::TensorProto *> byName;
  for (const onnx::TensorProto &tensor : model.graph().initializer())
    byName[tensor.name()] = &tensor;
  return byName;
}

int64_t elements(const onnx::TensorProto &tensor) {
  int64_t product = 1;
  for (int64_t extent : tensor.dims())
    product *= extent;
  return product;
}

/// Elements of what is trained: all initializers but BatchNorm's state and the settings of Dropout and Clip.
int64_t parameters(const onnx::ModelProto &model) {
  int64_t sum = 0;
  for (const auto &[name, tensor] : initializers(model))
    if (name.ends_with(".weight") || name.ends_with(".bias"))
      sum += elements(*tensor);
  return sum;
}

std::map<std::string, int> operators(const onnx::ModelProto &model) {
  std::map<std::string, int> counts;
  for (const onnx::NodeProto &node : model.graph().node())
    ++counts[node.op_type()];
  return counts;
}

std::vector<float> values(const onnx::TensorProto &tensor) {
  std::vector<float> floats(tensor.raw_data().size() / sizeof(float));
  std::memcpy(floats.data(), tensor.raw_data().data(), tensor.raw_data().size());
  return floats;
}

onnx::ModelProto buildDefault(const std::string &name, uint64_t seed = 0) {
  NetworkOptions options = findNetwork(name).defaults;
  options.seed = seed;
  return buildModel(name, options);
}

/// The network without the weights' values.
onnx::ModelProto buildShapes(const Network &network) {
  const NetworkOptions &options = network.defaults;
  GraphBuilder graph(network.name, options.seed, GraphBuilder::Weights::shapesOnly);
  Value image = graph.input(options.channels, options.height, options.width);
  return graph.finish(network.build(graph, image, options));
}

/// Those whose weights are drawn in no time, or the others.
std::vector<Network> networksOfSize(bool small) {
  std::vector<Network> chosen;
  for (const Network &network : networks())
    if ((countFigures(network.name, network.defaults).bytes() < 40'000'000) == small)
      chosen.push_back(network);
  return chosen;
}

std::string messageOf(const std::function<void()> &action) {
  try {
    action();
  } catch (const Error &error) {
    EXPECT_EQ(error.exitCode, kWrongInput);
    return error.what();
  }
  return "no error";
}

/// A folder of its own that goes away with the test.
struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "zoo-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

TEST(Zoo, ListsTheNetworks) {
  std::set<std::string> names;
  for (const Network &network : networks()) {
    EXPECT_FALSE(network.description.empty()) << network.name;
    EXPECT_TRUE(names.insert(network.name).second) << network.name << " twice";
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"lenet", "resnet20", "vgg11", "mobilenet_v2_cifar", "squeezenet_cifar"}));
}

TEST(Zoo, WellFormed) {
  for (const Network &network : networks()) {
    SCOPED_TRACE(network.name);
    onnx::ModelProto model = buildShapes(network);
    const onnx::GraphProto &graph = model.graph();
    std::set<std::string> known = {graph.input(0).name()}, nodeNames;
    for (const onnx::TensorProto &tensor : graph.initializer())
      EXPECT_TRUE(known.insert(tensor.name()).second) << tensor.name() << " twice";
    for (const onnx::NodeProto &node : graph.node()) {
      EXPECT_TRUE(nodeNames.insert(node.name()).second) << node.name() << " twice";
      for (const std::string &input : node.input())
        EXPECT_TRUE(known.count(input)) << node.name() << " reads " << input;
      for (const std::string &output : node.output())
        EXPECT_TRUE(known.insert(output).second) << output << " is made twice";
    }
    ASSERT_EQ(graph.input_size(), 1);
    EXPECT_EQ(graph.input(0).name(), "input");
    EXPECT_EQ(graph.input(0).type().tensor_type().shape().dim(0).dim_param(), "N");
    ASSERT_EQ(graph.output_size(), 1);
    EXPECT_EQ(graph.output(0).name(), "logits");
    EXPECT_TRUE(known.count("logits"));
  }
}

TEST(Zoo, WeightsAreWholeAndCounted) {
  for (const Network &network : networksOfSize(true)) {
    SCOPED_TRACE(network.name);
    onnx::ModelProto model = buildDefault(network.name);
    int64_t state = 0;
    for (const auto &[name, tensor] : initializers(model)) {
      size_t bytes = tensor->data_type() == onnx::TensorProto::BOOL ? 1 : sizeof(float);
      EXPECT_EQ(tensor->raw_data().size(), elements(*tensor) * bytes) << name;
      state += name.find(".running_") != std::string::npos ? elements(*tensor) : 0;
    }
    Figures figures = countFigures(network.name, network.defaults);
    EXPECT_EQ(figures.parameters, parameters(model));
    EXPECT_EQ(figures.state, state);
  }
}

TEST(Zoo, ParameterCounts) {
  // 28x28: (25+1)6 + (150+1)16 + (400+1)120 + (120+1)84 + (84+1)10, the count known from MNIST.
  EXPECT_EQ(parameters(buildDefault("lenet")), 61706);
  // 16x3x9 + 6(16x16x9) + 16x32x9 + 5(32x32x9) + 32x64x9 + 5(64x64x9) + 16x32 + 32x64 for the two shortcuts,
  // two for each BatchNorm channel: 2(7x16 + 7x32 + 7x64), and 64x10 + 10 for the last layer.
  EXPECT_EQ(parameters(buildDefault("resnet20")), 270256 + 1568 + 650);
  // 9(3x64 + 64x128 + 128x256 + 256x256 + 256x512 + 3(512x512)) + 2(64+128+2x256+4x512) + 512x10 + 10
  EXPECT_EQ(parameters(buildDefault("vgg11")), 9217728 + 5504 + 5130);
}

TEST(Zoo, OperatorsInTrainingForm) {
  onnx::ModelProto resnet = buildDefault("resnet20");
  EXPECT_EQ(operators(resnet), (std::map<std::string, int>{{"Add", 9},
                                                           {"BatchNormalization", 21},
                                                           {"Conv", 21},
                                                           {"Flatten", 1},
                                                           {"Gemm", 1},
                                                           {"GlobalAveragePool", 1},
                                                           {"Relu", 19}}));
  for (const onnx::NodeProto &node : resnet.graph().node()) {
    if (node.op_type() != "BatchNormalization")
      continue;
    EXPECT_EQ(node.output_size(), 3);
    bool training = false;
    for (const onnx::AttributeProto &attribute : node.attribute())
      training |= attribute.name() == "training_mode" && attribute.i() == 1;
    EXPECT_TRUE(training) << node.name();
  }
  EXPECT_EQ(operators(buildDefault("vgg11"))["Dropout"], 1);
  NetworkOptions plain = findNetwork("vgg11").defaults;
  plain.dropout = 0;
  EXPECT_EQ(operators(buildModel("vgg11", plain))["Dropout"], 0);
}

TEST(Zoo, WidthMultiplier) {
  // Nearest multiples of 8, ties upwards, 8 at least; not more than a tenth below: 0.55 x 48 = 26.4 becomes 24, but
  // 0.35 x 32 = 11.2 becomes 16 (8 would lose more).
  EXPECT_EQ(widened(32, 1), 32);
  EXPECT_EQ(widened(24, 0.5), 16);
  EXPECT_EQ(widened(16, 0.25), 8);
  EXPECT_EQ(widened(48, 0.55), 24);
  EXPECT_EQ(widened(32, 0.35), 16);

  auto millions = [](const char *name, double multiplier) {
    NetworkOptions options = findNetwork(name).defaults;
    options.widthMultiplier = multiplier;
    return double(countFigures(name, options).parameters) / 1e6;
  };
  // Howard et al. 2017, table 6: MobileNet-v1 of width 0.75, 0.5 and 0.25 has 2.6, 1.3 and 0.5 million parameters.
  EXPECT_NEAR(millions("mobilenet_v1", 0.75), 2.6, 0.05);
  EXPECT_NEAR(millions("mobilenet_v1", 0.5), 1.3, 0.05);
  EXPECT_NEAR(millions("mobilenet_v1", 0.25), 0.5, 0.05);
  // The checkpoints of MobileNet-v2's authors, by width; they have no expansion in the first block, which is here.
  EXPECT_NEAR(millions("mobilenet_v2", 1.4), 6.06, 0.06);
  EXPECT_NEAR(millions("mobilenet_v2", 0.75), 2.61, 0.05);
  EXPECT_NEAR(millions("mobilenet_v2", 0.5), 1.95, 0.05);
  EXPECT_NEAR(millions("mobilenet_v2", 0.35), 1.66, 0.05);
}

TEST(Zoo, LenetTakesDigitsMnistAndColour) {
  struct {
    const char *input;
    int64_t flattened;
  } cases[] = {{"1x8x8", 16 * 2 * 2}, {"1x28x28", 16 * 5 * 5}, {"3x32x32", 16 * 5 * 5}, {"1x4x4", 16}};
  for (const auto &[input, flattened] : cases) {
    NetworkOptions options = findNetwork("lenet").defaults;
    setInput(options, input);
    options.classes = 7;
    onnx::ModelProto model = buildModel("lenet", options);
    auto weights = initializers(model);
    EXPECT_EQ(weights["conv1.weight"]->dims(1), options.channels) << input;
    EXPECT_EQ(weights["fc1.weight"]->dims(1), flattened) << input;
    EXPECT_EQ(weights["fc3.bias"]->dims(0), 7) << input;
  }
}

TEST(Zoo, SeedDecidesWeights) {
  for (const Network &network : networksOfSize(true)) {
    std::string first = buildDefault(network.name, 1).SerializeAsString();
    EXPECT_EQ(first, buildDefault(network.name, 1).SerializeAsString()) << network.name;
    EXPECT_NE(first, buildDefault(network.name, 2).SerializeAsString()) << network.name;
  }
}

TEST(Zoo, WeightsAreTheSameEverywhere) {
  // Kept from an x86-64 build with GCC 12: another machine or compiler must make the same bits.
  onnx::ModelProto lenet = buildDefault("lenet"), resnet = buildDefault("resnet20");
  auto bits = [](const onnx::TensorProto &tensor) {
    uint32_t first = 0;
    std::memcpy(&first, tensor.raw_data().data(), sizeof(first));
    return first;
  };
  EXPECT_EQ(bits(*initializers(lenet)["fc3.weight"]), 1030304265u);    // uniform
  EXPECT_EQ(bits(*initializers(resnet)["conv1.weight"]), 1049713073u); // normal
}

TEST(Zoo, WeightsHaveTheStatedSpread) {
  onnx::ModelProto resnet = buildDefault("resnet20");
  auto weights = initializers(resnet);
  std::vector<float> conv = values(*weights["stage3.block2.conv1.weight"]); // 36,864 of them: +-1 % is 3 sigma
  double mean = 0, square = 0;
  for (float value : conv)
    mean += value / conv.size(), square += double(value) * value / conv.size();
  EXPECT_NEAR(mean, 0, 0.001);
  EXPECT_NEAR(std::sqrt(square), std::sqrt(2.0 / (64 * 9)), 0.01 * std::sqrt(2.0 / (64 * 9)));
  double largest = 0;
  for (float value : values(*weights["fc.weight"]))
    largest = std::max(largest, std::abs(double(value)));
  EXPECT_LE(largest, 1 / 8.0); // uniform in +-1/sqrt(64)
  EXPECT_GE(largest, 0.95 / 8);
  EXPECT_THAT(values(*weights["bn1.running_var"]), testing::Each(1.0f));
}

TEST(Zoo, WrongOptionsAreErrors) {
  NetworkOptions options;
  EXPECT_THAT(messageOf([&] { buildModel("lenett", options); }), testing::HasSubstr("there are: alexnet, "));
  for (const char *text : {"", "8x8", "1x8x8x1", "1x8x", "ax8x8", "1x8x8 ", "1,8,8", "1x99999999999999999999x8"})
    EXPECT_THAT(messageOf([&] { setInput(options, text); }), testing::HasSubstr("CHANNELSxHEIGHTxWIDTH")) << text;
  options.classes = 0;
  EXPECT_THAT(messageOf([&] { buildModel("lenet", options); }), testing::HasSubstr("number of classes is 0"));
  options.classes = 10;
  options.height = int64_t{1} << 40;
  EXPECT_THAT(messageOf([&] { buildModel("lenet", options); }), testing::HasSubstr("height"));
  options.height = options.width = 8;
  EXPECT_THAT(messageOf([&] { buildModel("vgg11", options); }), testing::HasSubstr("layer 'pool4' needs 2 pixels"));
  EXPECT_THAT(messageOf([&] { buildModel("resnet50", options); }), // 8, 4, 2, 2 and 1 pixels
              testing::HasSubstr("layer 'stage3.block1.conv1' needs 2 pixels a side and gets 1"));
  options.dropout = 1;
  EXPECT_THAT(messageOf([&] { buildModel("vgg11", options); }), testing::HasSubstr("dropout ratio"));
  options = {.widthMultiplier = 0.5};
  EXPECT_THAT(messageOf([&] { buildModel("lenet", options); }),
              testing::HasSubstr("no width multiplier; mobilenet_v1,"));
  for (double wrong : {0.0, -1.0, 65.0, std::nan("")}) {
    options.widthMultiplier = wrong;
    EXPECT_THAT(messageOf([&] { buildModel("mobilenet_v2", options); }), testing::HasSubstr("the width multiplier is"));
  }
  options = {.height = 4096, .width = 4096}; // 126 x 126 pixels of 256 channels by 4096 features
  EXPECT_THAT(messageOf([&] { buildModel("alexnet", options); }), testing::HasSubstr("more than fit"));
}

TEST(Zoo, EveryNetworkRefusesTooSmallImages) {
  for (const Network &network : networks()) {
    NetworkOptions options = network.defaults;
    options.height = options.width = 1;
    EXPECT_THAT(messageOf([&] { countFigures(network.name, options); }), testing::HasSubstr("give a larger input"))
        << network.name;
  }
}

TEST(Zoo, WritesTheFileOrNothing) {
  TemporaryFolder folder;
  std::string file = folder.path / "lenet.onnx";
  writeModel("lenet", findNetwork("lenet").defaults, file);
  std::ifstream stream(file, std::ios::binary);
  onnx::ModelProto read;
  ASSERT_TRUE(read.ParseFromIstream(&stream));
  EXPECT_EQ(read.SerializeAsString(), buildDefault("lenet").SerializeAsString());

  std::filesystem::create_directories(folder.path / "taken.onnx" / "inside");
  EXPECT_THROW(writeModel("lenet", findNetwork("lenet").defaults, folder.path / "taken.onnx"), Error);
  EXPECT_THROW(writeModel("lenet", findNetwork("lenet").defaults, folder.path / "missing" / "lenet.onnx"), Error);
  int entries = 0;
  for (auto entry = std::filesystem::directory_iterator(folder.path); entry != std::filesystem::directory_iterator();
       ++entry)
    ++entries;
  EXPECT_EQ(entries, 2) << "something half written was left behind";
}

/// Runs a Python program for each network, with its file and its number of classes as arguments. Python and its
/// packages are no part of Partyline: where they are missing the test is skipped; Debian's test data alone makes an
/// empty package onnx, so ask for a module. PARTYLINE_PYTHON names another interpreter than python3.
void runPython(const std::vector<Network> &networks, const std::string &modules, const std::string &program) {
  const char *chosen = std::getenv("PARTYLINE_PYTHON");
  std::string python = chosen ? chosen : "python3";
  if (std::system((python + " -c 'import " + modules + "' >/dev/null 2>&1").c_str()) != 0)
    GTEST_SKIP() << python << " cannot import " << modules
                 << ": install them from PyPI, or name an interpreter that has them in PARTYLINE_PYTHON";
  for (const Network &network : networks) {
    TemporaryFolder folder;
    std::string file = folder.path / (network.name + ".onnx");
    writeModel(network.name, network.defaults, file);
    std::string arguments = file + " " + std::to_string(network.defaults.classes);
    EXPECT_EQ(std::system((python + " -c '" + program + "' " + arguments).c_str()), 0) << network.name;
  }
}

void passOnnxChecker(const std::vector<Network> &networks) {
  runPython(networks, "onnx.checker", R"(
import sys, onnx
model = onnx.load(sys.argv[1])
onnx.checker.check_model(model, full_check=True)
shapes = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
assert [d.dim_param or d.dim_value for d in shapes.graph.output[0].type.tensor_type.shape.dim] == ["N", int(sys.argv[2])]
)");
}

/// The loss at the start is not far from that of guessing: logits of a few units at most.
void runInOnnxRuntime(const std::vector<Network> &networks) {
  runPython(networks, "onnxruntime, numpy", R"(
import sys, numpy, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
shape = session.get_inputs()[0].shape
for batch in (1, 3):
    logits, = session.run(None, {"input": numpy.random.randn(batch, *shape[1:]).astype("float32")})
    assert logits.shape == (batch, int(sys.argv[2])) and numpy.abs(logits).max() < 20
)");
}

TEST(ZooElsewhere, PassesOnnxChecker) { passOnnxChecker(networksOfSize(true)); }
TEST(ZooElsewhere, RunsInOnnxRuntime) { runInOnnxRuntime(networksOfSize(true)); }
TEST(LongZooElsewhere, PassesOnnxChecker) { passOnnxChecker(networksOfSize(false)); }
TEST(LongZooElsewhere, RunsInOnnxRuntime) { runInOnnxRuntime(networksOfSize(false)); }

} // namespace
