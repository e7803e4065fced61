//===- models/networks/yolov2_16.cpp - YOLOv2's first 16 layers -----------===//
//
// Redmon and Farhadi 2017, "YOLO9000: Better, Faster, Stronger": the layers 0 to 15 of YOLOv2, twelve convolutions with
// BatchNorm and LeakyReLU 0.1 and four poolings, which "Distributed CNN Training on Mobile and Edge Clusters" (arXiv
// 2409.09083) trains on 608x608 pixels.
//
// These layers are a part of a detector and have no output of their own. Here the 256 channels of the last map are
// averaged over the image, and one linear layer makes the numbers to regress from them, for the loss mse: 5 by default,
// as YOLO has them for a box (x, y, width, height, confidence). The head adds less than 0.1 % to weights and work.
//
//===----------------------------------------------------------------------===//
#include "models/graph_builder.h"
#include "models/zoo.h"

#include <string>

namespace partyline::models {

namespace {

Value buildYolov216(GraphBuilder &graph, Value x, const NetworkOptions &options) {
  int layer = 0; // counted as in YOLOv2's description: poolings, too
  auto conv = [&](int64_t channels, int64_t kernel) {
    std::string number = std::to_string(layer++);
    x = graph.convNorm(x, "conv" + number, "bn" + number,
                       {.channels = channels, .kernel = kernel, .padding = kernel / 2});
    x = graph.leakyRelu(x, "relu" + number, 0.1f);
  };
  auto pool = [&] { x = graph.maxPool(x, "pool" + std::to_string(layer++), {.kernel = 2, .stride = 2}); };

  conv(32, 3), pool();
  conv(64, 3), pool();
  conv(128, 3), conv(64, 1), conv(128, 3), pool();
  conv(256, 3), conv(128, 1), conv(256, 3), pool();
  conv(512, 3), conv(256, 1), conv(512, 3), conv(256, 1);
  x = graph.flatten(graph.globalAveragePool(x, "head.pool"), "head.flatten");
  return graph.linear(x, "head.fc", {.features = options.classes});
}

} // namespace

Network yolov2_16() {
  return {"yolov2_16",
          "YOLOv2's first 16 layers and a linear layer that regresses --classes numbers (loss mse)",
          {.height = 608, .width = 608, .classes = 5},
          buildYolov216};
}

} // namespace partyline::models
