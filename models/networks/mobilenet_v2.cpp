//===- models/networks/mobilenet_v2.cpp - MobileNet-v2 --------------------===//
//
// Sandler et al. 2018 (models/families/mobilenet_v2.h).
//
//===----------------------------------------------------------------------===//
#include "models/families/mobilenet_v2.h"

namespace partyline::models {

Network mobilenet_v2() {
  return {"mobilenet_v2",
          "MobileNet-v2 with Dropout for ImageNet",
          {.height = 224, .width = 224, .classes = 1000, .dropout = 0.2},
          [](GraphBuilder &graph, Value x, const NetworkOptions &options) {
            return mobilenetV2(graph, x, options, {2, 1, 2, 2, 2, 1, 2, 1});
          },
          /*hasWidthMultiplier=*/true};
}

} // namespace partyline::models
