//===- models/networks/squeezenet_cifar.cpp - SqueezeNet for 32x32 images -===//
//
// SqueezeNet 1.1 (models/families/squeezenet.h) with stride 1 and padding in the first convolution: 32x32 pixels become
// 16x16, 8x8 and 4x4.
//
//===----------------------------------------------------------------------===//
#include "models/families/squeezenet.h"

namespace partyline::models {

Network squeezenet_cifar() {
  return {"squeezenet_cifar",
          "SqueezeNet 1.1 with Dropout for small colour images (3x32x32)",
          {.dropout = 0.5},
          [](GraphBuilder &graph, Value x, const NetworkOptions &options) {
            return squeezenet(graph, x, options, {.channels = 64, .kernel = 3, .padding = 1}, {3, 5});
          }};
}

} // namespace partyline::models
