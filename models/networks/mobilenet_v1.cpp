//===- models/networks/mobilenet_v1.cpp - MobileNet-v1 --------------------===//
//
// Howard et al. 2017, "MobileNets: Efficient Convolutional Neural Networks for Mobile Vision Applications", table 1:
// depthwise convolutions of 3x3 pixels and pointwise ones behind them, each with BatchNorm and ReLU. (The table's last
// depthwise layer says stride 2; its shapes say 1.) The width multiplier is that of section 3.3.
//
//===----------------------------------------------------------------------===//
#include "models/graph_builder.h"
#include "models/zoo.h"

#include <string>

namespace partyline::models {

namespace {

Value buildMobilenetV1(GraphBuilder &graph, Value x, const NetworkOptions &options) {
  auto conv = [&](const std::string &name, const ConvLayer &layer) {
    x = graph.relu(graph.convNorm(x, name + ".conv", name + ".bn", layer), name + ".relu");
  };
  auto width = [&](int64_t channels) { return widened(channels, options.widthMultiplier); };
  int block = 0;
  auto separable = [&](int64_t channels, int64_t stride) {
    std::string name = "block" + std::to_string(++block);
    conv(name + ".depthwise",
         {.channels = x.shape[0], .kernel = 3, .stride = stride, .padding = 1, .groups = x.shape[0]});
    conv(name + ".pointwise", {.channels = width(channels)});
  };

  conv("stem", {.channels = width(32), .kernel = 3, .stride = 2, .padding = 1});
  separable(64, 1);
  separable(128, 2), separable(128, 1);
  separable(256, 2), separable(256, 1);
  separable(512, 2);
  for (int i = 0; i < 5; ++i)
    separable(512, 1);
  separable(1024, 2), separable(1024, 1);
  x = graph.flatten(graph.globalAveragePool(x, "pool"), "flatten");
  return graph.linear(x, "fc", {.features = options.classes});
}

} // namespace

Network mobilenet_v1() {
  return {"mobilenet_v1",
          "MobileNet-v1 for ImageNet",
          {.height = 224, .width = 224, .classes = 1000},
          buildMobilenetV1,
          /*hasWidthMultiplier=*/true};
}

} // namespace partyline::models
