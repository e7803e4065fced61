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

struct SqueezenetForm {
  ConvLayer first;        ///< the first convolution
  std::set<int> pooled;   ///< layers with a pooling behind them: 1 is the first convolution, 2 to 9 are Fire modules
  bool batchNorm = false; ///< between each convolution but the last and its ReLU: younger than the publication
};

/// The width multiplier is of the Fire modules' channels: of base_e and incr_e in section 5 of the publication.
Value squeezenet(GraphBuilder &graph, Value x, const NetworkOptions &options, const SqueezenetForm &form);

} // namespace partyline::models
