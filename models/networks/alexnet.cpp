//===- models/networks/alexnet.cpp - AlexNet ------------------------------===//
//
// Krizhevsky, Sutskever and Hinton 2012, "ImageNet Classification with Deep Convolutional Neural Networks", in the form
// of Caffe's bvlc_alexnet: images of 227x227 pixels, the two halves of the layers 2, 4 and 5 as groups of one
// convolution, response normalisation with bias 1. The ReLU layers are initialised for ReLU.
//
//===----------------------------------------------------------------------===//
#include "models/graph_builder.h"
#include "models/zoo.h"

#include <string>

namespace partyline::models {

namespace {

Value buildAlexnet(GraphBuilder &graph, Value x, const NetworkOptions &options) {
  auto conv = [&](const std::string &number, const ConvLayer &layer) {
    x = graph.relu(graph.conv(x, "conv" + number, layer), "relu" + number);
  };
  auto normAndPool = [&](const std::string &number) {
    x = graph.maxPool(graph.lrn(x, "norm" + number, {}), "pool" + number, {.kernel = 3, .stride = 2});
  };
  auto fullyConnected = [&](const std::string &number) {
    x = graph.linear(x, "fc" + number, {.features = 4096, .initialization = Initialization::he});
    x = graph.dropout(graph.relu(x, "relu" + number), "drop" + number, options.dropout);
  };

  conv("1", {.channels = 96, .kernel = 11, .stride = 4});
  normAndPool("1");
  conv("2", {.channels = 256, .kernel = 5, .padding = 2, .groups = 2});
  normAndPool("2");
  conv("3", {.channels = 384, .kernel = 3, .padding = 1});
  conv("4", {.channels = 384, .kernel = 3, .padding = 1, .groups = 2});
  conv("5", {.channels = 256, .kernel = 3, .padding = 1, .groups = 2});
  x = graph.maxPool(x, "pool5", {.kernel = 3, .stride = 2});
  x = graph.flatten(x, "flatten");
  fullyConnected("6");
  fullyConnected("7");
  return graph.linear(x, "fc8", {.features = options.classes, .initialization = Initialization::smallNormal});
}

} // namespace

Network alexnet() {
  return {"alexnet",
          "AlexNet with groups, LRN and Dropout for ImageNet",
          {.height = 227, .width = 227, .classes = 1000, .dropout = 0.5},
          buildAlexnet};
}

} // namespace partyline::models
