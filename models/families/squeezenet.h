//===- models/families/squeezenet.h - SqueezeNets -------------------------===//
//
// Iandola et al. 2016, "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and <0.5MB model size": eight Fire
// modules between two convolutions, poolings among them whose last window may reach beyond the image, as in Caffe,
// Dropout behind the last Fire module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "models/graph_builder.h"
#include "models/zoo.h"

#include <set>

namespace partyline::models {

/// A pooling stands behind the first convolution and behind the Fire modules of these numbers, which go from 2 to 9.
Value squeezenet(GraphBuilder &graph, Value x, const NetworkOptions &options, const ConvLayer &first,
                 const std::set<int> &pooled);

} // namespace partyline::models
