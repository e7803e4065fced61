//===- models/networks/vgg11.cpp - VGG-11 for 32x32 images ----------------===//
//
// Simonyan and Zisserman 2015, "Very Deep Convolutional Networks for Large-Scale Image Recognition", configuration A,
// with BatchNorm after every convolution (Ioffe and Szegedy 2015) and, as usual for 32x32 images, one last layer in
// place of three: after five poolings one pixel of 512 channels is left. Dropout stands in front of it.
//
//===----------------------------------------------------------------------===//
#include "models/graph_builder.h"
#include "models/zoo.h"

#include <string>

namespace partyline::models {

namespace {

onnx::ModelProto build(const NetworkOptions &options) {
  GraphBuilder graph("vgg11", options.seed);
  Value x = graph.input(options.channels, options.height, options.width);
  int layer = 0, stage = 0;
  auto block = [&](int64_t channels) {
    std::string number = std::to_string(++layer);
    // No bias: BatchNorm would subtract it.
    x = graph.conv(
        x, "conv" + number,
        {.channels = channels, .kernel = 3, .padding = 1, .bias = false, .initialization = Initialization::he});
    x = graph.relu(graph.batchNorm(x, "bn" + number), "relu" + number);
  };
  auto pool = [&] { x = graph.maxPool(x, "pool" + std::to_string(++stage), 2, 2); };

  block(64), pool();
  block(128), pool();
  block(256), block(256), pool();
  block(512), block(512), pool();
  block(512), block(512), pool();

  x = graph.flatten(x, "flatten");
  if (options.dropout > 0)
    x = graph.dropout(x, "dropout", options.dropout);
  return graph.finish(
      graph.linear(x, "fc", {.features = options.classes, .initialization = Initialization::smallNormal}));
}

} // namespace

Network vgg11() {
  return {"vgg11",
          "VGG-11 with BatchNorm and Dropout for small colour images (3x32x32; at least 32x32)",
          {.dropout = 0.5},
          build};
}

} // namespace partyline::models
