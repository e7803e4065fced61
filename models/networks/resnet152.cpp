//===- models/networks/resnet152.cpp - ResNet-152 -------------------------===//
//
// He, Zhang, Ren and Sun 2016 (models/families/resnet.h).
//
//===----------------------------------------------------------------------===//
#include "models/families/resnet.h"

namespace partyline::models {

Network resnet152() {
  return {"resnet152",
          "ResNet-152 for ImageNet",
          {.height = 224, .width = 224, .classes = 1000},
          [](GraphBuilder &graph, Value x, const NetworkOptions &options) {
            return deepResnet(graph, x, options, {3, 8, 36, 3});
          }};
}

} // namespace partyline::models
