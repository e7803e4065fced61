//===- models/zoo.h - the networks that Partyline brings along ------------===//
//
// A network is one file in models/networks. The file defines one function of the file's name that returns a Network;
// the build finds it there: nothing else lists the networks. What several networks are made of is in models/families.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "models/figures.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace partyline::models {

class GraphBuilder;
struct Value;

/// What a caller may choose. A network's own choice stands in Network::defaults.
struct NetworkOptions {
  int64_t channels = 3, height = 32, width = 32; ///< of the input images
  int64_t classes = 10;                          ///< numbers that the network returns for an image
  double dropout = 0;         ///< share of activations dropped, where the network has Dropout layers; 0: no such layers
  double widthMultiplier = 1; ///< of the layers' channels, in networks that have it
  uint64_t seed = 0;          ///< of the initial weights
};

struct Network {
  std::string name;
  std::string description; ///< one line for `partyline model --list`
  NetworkOptions defaults;
  /// Adds the layers from the image to the logits, which it returns.
  Value (*build)(GraphBuilder &graph, Value image, const NetworkOptions &options);
  bool hasWidthMultiplier = false;
};

/// All networks, by name.
const std::vector<Network> &networks();

/// The network called `name`; an Error that lists the names where there is none.
const Network &findNetwork(std::string_view name);

/// `channels` times `multiplier`, to the nearest multiple of 8, which is 8 at least and loses a tenth at most: the rule
/// of the MobileNets' authors (github.com/tensorflow/models, slim/nets/mobilenet).
int64_t widened(int64_t channels, double multiplier);

/// Reads an input shape as people write it, "1x28x28": channels, height, width.
void setInput(NetworkOptions &options, std::string_view text);

/// Counts what a network would hold and do, without drawing its weights.
Figures countFigures(std::string_view name, const NetworkOptions &options);

/// Builds a network, after a check of the options.
onnx::ModelProto buildModel(std::string_view name, const NetworkOptions &options);

/// Builds a network and writes it to `file`: beside it first, then renamed, so that the file is never half there.
void writeModel(std::string_view name, const NetworkOptions &options, const std::string &file);

} // namespace partyline::models
