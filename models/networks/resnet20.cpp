//===- models/networks/resnet20.cpp - ResNet-20 for 32x32 images ----------===//
//
// He, Zhang, Ren and Sun 2016, "Deep Residual Learning for Image Recognition", section 4.2: a 3x3 convolution, three
// stages of three basic blocks with 16, 32 and 64 channels, average pooling, one linear layer. Where a stage changes
// the shape, the shortcut is a 1x1 convolution with BatchNorm (the paper's option B; its CIFAR figures use option A,
// padding with zeros).
//
//===----------------------------------------------------------------------===//
#include "models/graph_builder.h"
#include "models/zoo.h"

#include <string>

namespace partyline::models {

namespace {

Value basicBlock(GraphBuilder &graph, const Value &x, const std::string &name, int64_t channels, int64_t stride) {
  Value y = graph.convNorm(x, name + ".conv1", name + ".bn1",
                           {.channels = channels, .kernel = 3, .stride = stride, .padding = 1});
  y = graph.relu(y, name + ".relu1");
  y = graph.convNorm(y, name + ".conv2", name + ".bn2", {.channels = channels, .kernel = 3, .padding = 1});
  Value shortcut = x;
  if (stride != 1 || x.shape[0] != channels)
    shortcut =
        graph.convNorm(x, name + ".shortcut.conv", name + ".shortcut.bn", {.channels = channels, .stride = stride});
  return graph.relu(graph.add(y, shortcut, name), name + ".relu2");
}

Value buildResnet20(GraphBuilder &graph, Value x, const NetworkOptions &options) {
  x = graph.relu(graph.convNorm(x, "conv1", "bn1", {.channels = 16, .kernel = 3, .padding = 1}), "relu1");
  for (int stage = 1; stage <= 3; ++stage)
    for (int block = 1; block <= 3; ++block)
      x = basicBlock(graph, x, "stage" + std::to_string(stage) + ".block" + std::to_string(block), 8 << stage,
                     stage > 1 && block == 1 ? 2 : 1);
  x = graph.flatten(graph.globalAveragePool(x, "pool"), "flatten");
  return graph.linear(x, "fc", {.features = options.classes});
}

} // namespace

Network resnet20() {
  return {"resnet20", "ResNet-20 with BatchNorm for small colour images (3x32x32)", {}, buildResnet20};
}

} // namespace partyline::models
