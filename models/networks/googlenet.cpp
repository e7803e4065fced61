//===- models/networks/googlenet.cpp - GoogLeNet --------------------------===//
//
// Szegedy et al. 2015, "Going Deeper with Convolutions", table 1, without the two auxiliary classifiers. As in Caffe's
// bvlc_googlenet the response normalisation is AlexNet's, and a pooling's last window may reach beyond the image: 224
// pixels become 112, 56, 28, 14 and 7. The ReLU layers are initialised for ReLU.
//
//===----------------------------------------------------------------------===//
#include "models/graph_builder.h"
#include "models/zoo.h"

#include <string>

namespace partyline::models {

namespace {

/// Channels of an Inception module's four branches.
struct Module {
  int64_t one, reduceThree, three, reduceFive, five, projection;
};

Value buildGooglenet(GraphBuilder &graph, Value x, const NetworkOptions &options) {
  constexpr PoolLayer halve = {.kernel = 3, .stride = 2, .ceilMode = true};
  auto conv = [&](const Value &x, const std::string &name, const ConvLayer &layer) {
    return graph.relu(graph.conv(x, name, layer), name + ".relu");
  };
  auto inception = [&](const std::string &name, const Module &channels) {
    Value one = conv(x, name + ".conv1x1", {.channels = channels.one});
    Value three = conv(x, name + ".reduce3x3", {.channels = channels.reduceThree});
    three = conv(three, name + ".conv3x3", {.channels = channels.three, .kernel = 3, .padding = 1});
    Value five = conv(x, name + ".reduce5x5", {.channels = channels.reduceFive});
    five = conv(five, name + ".conv5x5", {.channels = channels.five, .kernel = 5, .padding = 2});
    Value pooled = graph.maxPool(x, name + ".pool", {.kernel = 3, .stride = 1, .padding = 1});
    pooled = conv(pooled, name + ".projection", {.channels = channels.projection});
    x = graph.concat({one, three, five, pooled}, name);
  };

  x = conv(x, "conv1", {.channels = 64, .kernel = 7, .stride = 2, .padding = 3});
  x = graph.lrn(graph.maxPool(x, "pool1", halve), "norm1", {});
  x = conv(x, "conv2.reduce", {.channels = 64});
  x = conv(x, "conv2", {.channels = 192, .kernel = 3, .padding = 1});
  x = graph.maxPool(graph.lrn(x, "norm2", {}), "pool2", halve);
  inception("inception3a", {64, 96, 128, 16, 32, 32});
  inception("inception3b", {128, 128, 192, 32, 96, 64});
  x = graph.maxPool(x, "pool3", halve);
  inception("inception4a", {192, 96, 208, 16, 48, 64});
  inception("inception4b", {160, 112, 224, 24, 64, 64});
  inception("inception4c", {128, 128, 256, 24, 64, 64});
  inception("inception4d", {112, 144, 288, 32, 64, 64});
  inception("inception4e", {256, 160, 320, 32, 128, 128});
  x = graph.maxPool(x, "pool4", halve);
  inception("inception5a", {256, 160, 320, 32, 128, 128});
  inception("inception5b", {384, 192, 384, 48, 128, 128});

  x = graph.flatten(graph.globalAveragePool(x, "pool5"), "flatten");
  return graph.linear(graph.dropout(x, "dropout", options.dropout), "fc", {.features = options.classes});
}

} // namespace

Network googlenet() {
  return {"googlenet",
          "GoogLeNet (Inception-v1) with LRN and Dropout, without auxiliary heads, for ImageNet",
          {.height = 224, .width = 224, .classes = 1000, .dropout = 0.4},
          buildGooglenet};
}

} // namespace partyline::models
