//===- models/networks/resnet50.cpp - ResNet-50 ---------------------------===//
//
// He, Zhang, Ren and Sun 2016 (models/families/resnet.h). The authors' Caffe file gives this one, not its two larger
// siblings, a bias in the first convolution.
//
//===----------------------------------------------------------------------===//
#include "models/families/resnet.h"

namespace partyline::models {

Network resnet50() {
  return {"resnet50",
          "ResNet-50 for ImageNet",
          {.height = 224, .width = 224, .classes = 1000},
          [](GraphBuilder &graph, Value x, const NetworkOptions &options) {
            return deepResnet(graph, x, options, {3, 4, 6, 3}, true);
          }};
}

} // namespace partyline::models
