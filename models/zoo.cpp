#include "models/zoo.h"

#include "models/graph_builder.h"
#include "runtime/shared/error.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <unistd.h>

namespace partyline::models {

namespace {

/// Far beyond any image, yet products of three such extents stay far from overflow.
constexpr int64_t kLargestExtent = 4096, kMostClasses = 1000000, kWidest = 64;

/// A protobuf message is below 2 GiB; a hundredth of that is enough for the graph.
constexpr int64_t kLargestModel = std::numeric_limits<int32_t>::max() / 100 * 99;

void check(const char *what, int64_t value, int64_t largest) {
  if (value < 1 || value > largest)
    throw inputError(std::string(what) + " is " + std::to_string(value) + "; give a number from 1 to " +
                     std::to_string(largest));
}

void check(const NetworkOptions &options) {
  check("the number of input channels", options.channels, kLargestExtent);
  check("the input's height", options.height, kLargestExtent);
  check("the input's width", options.width, kLargestExtent);
  check("the number of classes", options.classes, kMostClasses);
  if (!(options.dropout >= 0 && options.dropout < 1))
    throw inputError("the dropout ratio is " + std::to_string(options.dropout) +
                     "; give a number from 0 to less than 1");
}

void checkWidthMultiplier(const Network &network, double multiplier) {
  if (!(multiplier > 0 && multiplier <= kWidest))
    throw inputError("the width multiplier is " + std::to_string(multiplier) + "; give a number above 0 and up to " +
                     std::to_string(kWidest));
  if (multiplier == 1 || network.hasWidthMultiplier)
    return;
  std::string known;
  for (const Network &other : networks())
    if (other.hasWidthMultiplier)
      known += (known.empty() ? "" : ", ") + other.name;
  throw inputError(network.name + " has no width multiplier; " + known + " have one");
}

Value addLayers(const Network &network, GraphBuilder &graph, const NetworkOptions &options) {
  return network.build(graph, graph.input(options.channels, options.height, options.width), options);
}

} // namespace

const Network &findNetwork(std::string_view name) {
  std::string known;
  for (const Network &network : networks()) {
    if (network.name == name)
      return network;
    known += (known.empty() ? "" : ", ") + network.name;
  }
  throw inputError("no network is called '" + std::string(name) + "'; there are: " + known);
}

int64_t widened(int64_t channels, double multiplier) {
  double exact = double(channels) * multiplier;
  int64_t rounded = std::max<int64_t>(8, int64_t(exact + 4) / 8 * 8);
  return double(rounded) < 0.9 * exact ? rounded + 8 : rounded;
}

void setInput(NetworkOptions &options, std::string_view text) {
  const char *at = text.data(), *end = at + text.size();
  int64_t extents[3];
  for (int i = 0; i < 3; ++i) {
    auto [next, error] = std::from_chars(at, end, extents[i]);
    bool rightEnd = i < 2 ? next != end && *next == 'x' : next == end;
    if (error != std::errc() || !rightEnd)
      throw inputError("the input shape '" + std::string(text) +
                       "' is not CHANNELSxHEIGHTxWIDTH, as in 1x28x28 or 3x32x32");
    at = next + 1;
  }
  options.channels = extents[0];
  options.height = extents[1];
  options.width = extents[2];
}

Figures countFigures(std::string_view name, const NetworkOptions &options) {
  const Network &network = findNetwork(name);
  check(options);
  checkWidthMultiplier(network, options.widthMultiplier);
  GraphBuilder graph(network.name, options.seed, GraphBuilder::Weights::shapesOnly);
  addLayers(network, graph, options);
  return graph.figures();
}

onnx::ModelProto buildModel(std::string_view name, const NetworkOptions &options) {
  int64_t bytes = countFigures(name, options).bytes();
  if (bytes > kLargestModel)
    throw inputError(
        std::string(name) + " with these options has " + std::to_string(bytes >> 20) +
        " MiB of weights, more than fit into an ONNX file; give a smaller input, fewer classes or a smaller width");
  const Network &network = findNetwork(name);
  GraphBuilder graph(network.name, options.seed);
  return graph.finish(addLayers(network, graph, options));
}

void writeModel(std::string_view name, const NetworkOptions &options, const std::string &file) {
  onnx::ModelProto model = buildModel(name, options);
  std::string beside = file + ".partial-" + std::to_string(getpid());
  std::error_code error;
  {
    std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
    if (!stream)
      throw runError(file + ": cannot be written; is there such a folder, and may you write in it?");
    if (!model.SerializeToOstream(&stream) || !stream.flush()) {
      std::filesystem::remove(beside, error);
      throw runError(file + ": writing failed; is the disk full?");
    }
  }
  std::filesystem::rename(beside, file, error);
  if (error) {
    std::string reason = error.message();
    std::filesystem::remove(beside, error);
    throw runError(file + ": cannot be put in place: " + reason);
  }
}

} // namespace partyline::models
