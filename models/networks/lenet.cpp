//===- models/networks/lenet.cpp - LeNet ----------------------------------===//
//
// LeCun, Bottou, Bengio and Haffner 1998, "Gradient-Based Learning Applied to Document Recognition": LeNet-5 as it is
// built today, with ReLU, max pooling and a plain last layer. It was made for 32x32 pixels; on smaller images, or where
// a feature map is smaller than it was there, the convolutions are padded so that nothing shrinks away: 28x28 (MNIST)
// has the usual padding of 2 in the first layer, 8x8 also in the second. The ReLU layers are initialised for ReLU.
//
//===----------------------------------------------------------------------===//
#include "models/graph_builder.h"
#include "models/zoo.h"

#include <algorithm>

namespace partyline::models {

namespace {

Value buildLenet(GraphBuilder &graph, Value x, const NetworkOptions &options) {
  auto paddingBelow = [](const Value &x, int64_t extent) { return std::min(x.shape[1], x.shape[2]) < extent ? 2 : 0; };

  x = graph.conv(x, "conv1", {.channels = 6, .kernel = 5, .padding = paddingBelow(x, 32)});
  x = graph.maxPool(graph.relu(x, "relu1"), "pool1", {.kernel = 2, .stride = 2});
  x = graph.conv(x, "conv2", {.channels = 16, .kernel = 5, .padding = paddingBelow(x, 14)});
  x = graph.maxPool(graph.relu(x, "relu2"), "pool2", {.kernel = 2, .stride = 2});
  x = graph.flatten(x, "flatten");
  x = graph.relu(graph.linear(x, "fc1", {.features = 120, .initialization = Initialization::he}), "relu3");
  x = graph.relu(graph.linear(x, "fc2", {.features = 84, .initialization = Initialization::he}), "relu4");
  return graph.linear(x, "fc3", {.features = options.classes});
}

} // namespace

Network lenet() {
  return {"lenet",
          "LeNet-5 for small grey images (1x28x28; at least 4x4)",
          {.channels = 1, .height = 28, .width = 28},
          buildLenet};
}

} // namespace partyline::models
