//===- models/networks/mobilenet_v2_cifar.cpp - MobileNet-v2 for 32x32 ----===//
//
// Sandler et al. 2018 (models/families/mobilenet_v2.h), with stride 1 where the image would be halved for the second
// and the last time: 32x32 pixels become 2x2.
//
//===----------------------------------------------------------------------===//
#include "models/families/mobilenet_v2.h"

namespace partyline::models {

Network mobilenet_v2_cifar() {
  return {"mobilenet_v2_cifar",
          "MobileNet-v2 with Dropout for small colour images (3x32x32)",
          {.dropout = 0.2},
          [](GraphBuilder &graph, Value x, const NetworkOptions &options) {
            return mobilenetV2(graph, x, options, {2, 1, 1, 2, 2, 1, 2, 1});
          },
          /*hasWidthMultiplier=*/true};
}

} // namespace partyline::models
