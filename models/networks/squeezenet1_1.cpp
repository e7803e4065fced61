//===- models/networks/squeezenet1_1.cpp - SqueezeNet 1.1 -----------------===//
//
// The authors' second version of Iandola et al. 2016 (models/families/squeezenet.h): a smaller first convolution and
// earlier poolings halve the work.
//
//===----------------------------------------------------------------------===//
#include "models/families/squeezenet.h"

namespace partyline::models {

Network squeezenet1_1() {
  return {"squeezenet1_1",
          "SqueezeNet 1.1 with Dropout for ImageNet",
          {.height = 227, .width = 227, .classes = 1000, .dropout = 0.5},
          [](GraphBuilder &graph, Value x, const NetworkOptions &options) {
            return squeezenet(graph, x, options,
                              {.first = {.channels = 64, .kernel = 3, .stride = 2}, .pooled = {1, 3, 5}});
          },
          /*hasWidthMultiplier=*/true};
}

} // namespace partyline::models
