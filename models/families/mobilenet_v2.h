//===- models/families/mobilenet_v2.h - MobileNet-v2 ----------------------===//
//
// Sandler, Howard, Zhu, Zhmoginov and Chen 2018, "MobileNetV2: Inverted Residuals and Linear Bottlenecks", table 2. A
// block expands the channels by a 1x1 convolution, convolves each with 3x3 pixels and projects them back, without ReLU6
// behind the projection. The first block has its expansion, too, by 1, as table 1 draws it and Caffe models have it;
// TensorFlow's leaves it out. The width multiplier is that of section 3.4: below 1 it leaves the last convolution as it
// is.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "models/graph_builder.h"
#include "models/zoo.h"

#include <array>

namespace partyline::models {

/// `strides` of the first convolution and of the seven stages; for ImageNet {2, 1, 2, 2, 2, 1, 2, 1}.
Value mobilenetV2(GraphBuilder &graph, Value x, const NetworkOptions &options, const std::array<int64_t, 8> &strides);

} // namespace partyline::models
