//===- models/graph_builder.h - writes ONNX graphs, layer by layer --------===//
//
// What the zoo's networks are written with: one call per layer, in the order of the forward pass. A layer adds its ONNX
// nodes and initialised weights, named as PyTorch's exporter names them: layer `block1.conv` has the node
// `/block1/conv/Conv` and the weight `block1.conv.weight`. Layers that behave differently in training (BatchNorm,
// Dropout) are written in their training form.
//
// A weight's values are a function of (seed, its name), so a network may gain a layer without changing the others.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace partyline::models {

/// A value in the graph, with the shape of one sample: the leading batch dimension is left out.
struct Value {
  std::string name;
  std::vector<int64_t> shape;
};

/// How a weight is drawn.
enum class Initialization {
  /// Uniform in +-1/sqrt(fan in), the bias likewise: what PyTorch's Conv2d and Linear do by default.
  uniform,
  /// Normal with variance 2/(fan in), the bias zero: He et al. 2015, "Delving Deep into Rectifiers".
  he,
  /// Normal with standard deviation 0.01, the bias zero: Simonyan and Zisserman 2015, for VGG's last layers.
  smallNormal,
};

struct ConvLayer {
  int64_t channels = 0; ///< of the output
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  bool bias = true;
  Initialization initialization = Initialization::uniform;
};

struct LinearLayer {
  int64_t features = 0; ///< of the output
  Initialization initialization = Initialization::uniform;
};

class GraphBuilder {
public:
  /// `network` becomes the graph's name and stands in error messages.
  GraphBuilder(std::string network, uint64_t seed);

  /// The graph's input `input`, float [N, channels, height, width].
  Value input(int64_t channels, int64_t height, int64_t width);

  Value conv(const Value &x, const std::string &layer, const ConvLayer &options);
  Value batchNorm(const Value &x, const std::string &layer);
  Value relu(const Value &x, const std::string &layer);
  Value maxPool(const Value &x, const std::string &layer, int64_t kernel, int64_t stride);
  Value globalAveragePool(const Value &x, const std::string &layer);
  Value add(const Value &a, const Value &b, const std::string &layer);
  Value flatten(const Value &x, const std::string &layer);
  Value dropout(const Value &x, const std::string &layer, double ratio);
  Value linear(const Value &x, const std::string &layer, const LinearLayer &options);

  /// Names `logits` as the graph's output, which is called `logits`, and hands the model over.
  onnx::ModelProto finish(const Value &logits);

private:
  onnx::NodeProto &node(const std::string &type, const std::string &layer, const std::vector<std::string> &inputs);
  Value output(onnx::NodeProto &node, const std::vector<int64_t> &shape);
  int64_t windowed(const std::string &layer, int64_t extent, int64_t kernel, int64_t stride, int64_t padding) const;

  std::string weight(const std::string &name, const std::vector<int64_t> &shape, int64_t fanIn,
                     Initialization initialization);
  std::string bias(const std::string &name, int64_t elements, int64_t fanIn, Initialization initialization);
  std::string filled(const std::string &name, int64_t elements, float value);
  std::string initializer(const std::string &name, const std::vector<int64_t> &shape, const std::vector<float> &values);

  std::string network;
  uint64_t seed;
  onnx::ModelProto model;
};

} // namespace partyline::models
