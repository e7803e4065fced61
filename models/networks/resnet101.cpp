//===- models/networks/resnet101.cpp - ResNet-101 -------------------------===//
//
// He, Zhang, Ren and Sun 2016 (models/families/resnet.h).
//
//===----------------------------------------------------------------------===//
#include "models/families/resnet.h"

namespace partyline::models {

Network resnet101() {
  return {"resnet101",
          "ResNet-101 for ImageNet",
          {.height = 224, .width = 224, .classes = 1000},
          [](GraphBuilder &graph, Value x, const NetworkOptions &options) {
            return deepResnet(graph, x, options, {3, 4, 23, 3});
          }};
}

} // namespace partyline::models
