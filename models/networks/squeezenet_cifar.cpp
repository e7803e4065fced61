//===- models/networks/squeezenet_cifar.cpp - SqueezeNet for 32x32 images -===//
//
// SqueezeNet 1.1 (models/families/squeezenet.h) without its first pooling: 32x32 pixels become 16x16, 8x8 and 4x4. With
// BatchNorm, as it is usual where the network is trained from scratch: without, its last ReLU dies at rates that train
// it in a few epochs.
//
//===----------------------------------------------------------------------===//
#include "models/families/squeezenet.h"

namespace partyline::models {

Network squeezenet_cifar() {
  return {"squeezenet_cifar",
          "SqueezeNet 1.1 with BatchNorm and Dropout for small colour images (3x32x32)",
          {.dropout = 0.5},
          [](GraphBuilder &graph, Value x, const NetworkOptions &options) {
            return squeezenet(graph, x, options,
                              {.first = {.channels = 64, .kernel = 3, .stride = 2, .padding = 1},
                               .pooled = {3, 5},
                               .batchNorm = true});
          },
          /*hasWidthMultiplier=*/true};
}

} // namespace partyline::models
