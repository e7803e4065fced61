//===- models/families/resnet.h - deep ResNets, of bottleneck blocks ------===//
//
// He, Zhang, Ren and Sun 2016, "Deep Residual Learning for Image Recognition", table 1: a block is a 1x1, a 3x3 and a
// 1x1 convolution of four times the channels, each with BatchNorm. Where a stage changes the shape, the shortcut is a
// 1x1 convolution (option B), and it is the block's first convolution that has stride 2, as in the paper. The pooling
// in front reaches beyond the image, as in the authors' Caffe files.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "models/graph_builder.h"
#include "models/zoo.h"

#include <array>

namespace partyline::models {

/// `blocks` of each of the four stages: {3, 4, 6, 3} is ResNet-50. `stemBias`: the first convolution has a bias, though
/// BatchNorm subtracts it.
Value deepResnet(GraphBuilder &graph, Value x, const NetworkOptions &options, const std::array<int, 4> &blocks,
                 bool stemBias = false);

} // namespace partyline::models
