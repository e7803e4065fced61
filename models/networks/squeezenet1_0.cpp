//===- models/networks/squeezenet1_0.cpp - SqueezeNet 1.0 -----------------===//
//
// Iandola et al. 2016 (models/families/squeezenet.h), table 1.
//
//===----------------------------------------------------------------------===//
#include "models/families/squeezenet.h"

namespace partyline::models {

Network squeezenet1_0() {
  return {"squeezenet1_0",
          "SqueezeNet 1.0 with Dropout for ImageNet",
          {.height = 227, .width = 227, .classes = 1000, .dropout = 0.5},
          [](GraphBuilder &graph, Value x, const NetworkOptions &options) {
            return squeezenet(graph, x, options,
                              {.first = {.channels = 96, .kernel = 7, .stride = 2}, .pooled = {1, 4, 8}});
          },
          /*hasWidthMultiplier=*/true};
}

} // namespace partyline::models
