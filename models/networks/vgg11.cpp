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

Value buildVgg11(GraphBuilder &graph, Value x, const NetworkOptions &options) {
  int layer = 0, stage = 0;
  auto block = [&](int64_t channels) {
    std::string number = std::to_string(++layer);
    x = graph.convNorm(x, "conv" + number, "bn" + number, {.channels = channels, .kernel = 3, .padding = 1});
    x = graph.relu(x, "relu" + number);
  };
  auto pool = [&] { x = graph.maxPool(x, "pool" + std::to_string(++stage), {.kernel = 2, .stride = 2}); };

  block(64), pool();
  block(128), pool();
  block(256), block(256), pool();
  block(512), block(512), pool();
  block(512), block(512), pool();

  x = graph.dropout(graph.flatten(x, "flatten"), "dropout", options.dropout);
  return graph.linear(x, "fc", {.features = options.classes, .initialization = Initialization::smallNormal});
}

} // namespace

Network vgg11() {
  return {"vgg11",
          "VGG-11 with BatchNorm and Dropout for small colour images (3x32x32; at least 32x32)",
          {.dropout = 0.5},
          buildVgg11};
}

} // namespace partyline::models
