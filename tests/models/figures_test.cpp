// What the networks hold and do, against figures that others published.
#include "models/graph_builder.h"
#include "models/zoo.h"

#include <gtest/gtest.h>

#include <chrono>

using namespace partyline::models;

namespace {

Figures figures(const std::string &name) { return countFigures(name, findNetwork(name).defaults); }

// "Scalable Smartphone Cluster for Deep Learning", arXiv 2110.12172, table I: "MB" of gradients, which are MiB.
TEST(Figures, BytesAreThoseOfThePhoneCluster) {
  struct {
    const char *network;
    double mebibytes;
  } table[] = {{"alexnet", 232.56},     {"googlenet", 26.70},   {"inception_v3", 91.05}, {"mobilenet_v1", 16.23},
               {"mobilenet_v2", 13.51}, {"resnet50", 97.70},    {"resnet101", 170.34},   {"resnet152", 230.20},
               {"squeezenet1_0", 4.76}, {"squeezenet1_1", 4.71}};
  for (const auto &[network, mebibytes] : table)
    EXPECT_NEAR(double(figures(network).bytes()) / (1 << 20), mebibytes, 0.01) << network;
}

// The same table's gradient tensors: Caffe has a third tensor of state in each BatchNorm, a factor of one element.
// Inception-v3 is left out: its 556 are ten fewer than those of 94 convolutions with BatchNorm and one linear layer.
TEST(Figures, TensorsAreThoseOfThePhoneCluster) {
  struct {
    const char *network;
    int tensors;
  } table[] = {{"alexnet", 16},    {"googlenet", 116}, {"mobilenet_v1", 164}, {"mobilenet_v2", 320}, {"resnet50", 321},
               {"resnet101", 626}, {"resnet152", 932}, {"squeezenet1_0", 52}, {"squeezenet1_1", 52}};
  for (const auto &[name, tensors] : table) {
    const Network &network = findNetwork(name);
    GraphBuilder graph(name, 0, GraphBuilder::Weights::shapesOnly);
    Value image = graph.input(3, network.defaults.height, network.defaults.width);
    onnx::ModelProto model = graph.finish(network.build(graph, image, network.defaults));
    int count = 0;
    for (const onnx::TensorProto &tensor : model.graph().initializer())
      count += tensor.name().ends_with(".weight") || tensor.name().ends_with(".bias") ||
               tensor.name().find(".running_") != std::string::npos;
    for (const onnx::NodeProto &node : model.graph().node())
      count += node.op_type() == "BatchNormalization";
    EXPECT_EQ(count, tensors) << name;
  }
}

// Multiply-adds as the networks' own papers give them, in as many digits; MobileNet-v2's 300 million are without the
// first block's expansion, 32 x 32 x 112 x 112.
TEST(Figures, WorkIsThatOfThePapers) {
  struct {
    const char *network;
    double millions, tolerance;
  } papers[] = {{"mobilenet_v1", 569, 0.5},  {"mobilenet_v2", 300 + 12.8, 1}, {"resnet50", 3800, 100},
                {"resnet101", 7600, 100},    {"resnet152", 11300, 100},       {"googlenet", 1500, 100},
                {"inception_v3", 5700, 100}, {"yolov2_16", 13000, 50}};
  for (const auto &[network, millions, tolerance] : papers)
    EXPECT_NEAR(1e-6 * double(figures(network).multiplyAdds), millions, tolerance) << network;
  // Groups divide the work: 55x55x96x363 + 27x27x256x1200 + 13x13x(384x2304 + 384x1728 + 256x1728) + 3 matrices.
  EXPECT_EQ(figures("alexnet").multiplyAdds,
            105415200 + 223948800 + 149520384 + 112140288 + 74760192 + 37748736 + 16777216 + 4096000);
  // Of MNIST's LeNet: 28x28x6x25 + 10x10x16x150 + 400x120 + 120x84 + 84x10.
  EXPECT_EQ(figures("lenet").multiplyAdds, 117600 + 240000 + 48000 + 10080 + 840);
}

TEST(Figures, CountingDrawsNoWeights) {
  auto start = std::chrono::steady_clock::now();
  for (const Network &network : networks())
    figures(network.name);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2)) << "240 million weights take longer";
}

} // namespace
