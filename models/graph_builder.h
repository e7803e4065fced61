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

#include "models/figures.h"
#include "models/random_weights.h"

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace partyline::models {

/// A value in the graph, with the shape of one sample: the leading batch dimension is left out.
struct Value {
  std::string name;
  std::vector<int64_t> shape;
};

/// A window's size or padding; one number stands for both.
struct Extents {
  Extents(int64_t side) : height(side), width(side) {}
  Extents(int64_t height, int64_t width) : height(height), width(width) {}
  int64_t height, width;
};

struct ConvLayer {
  int64_t channels = 0; ///< of the output
  Extents kernel = 1;
  int64_t stride = 1;
  Extents padding = 0;
  int64_t groups = 1;
  bool bias = true;
  Initialization initialization = Initialization::he;
};

struct PoolLayer {
  int64_t kernel = 2;
  int64_t stride = 2;
  int64_t padding = 0;
  bool ceilMode = false; ///< the last window may reach beyond the image, as in Caffe
};

/// Local response normalisation: x / (bias + alpha/size * (sum of squares over `size` channels))^beta. The defaults are
/// those of Krizhevsky et al. 2012 as Caffe reads them.
struct LrnLayer {
  int64_t size = 5;
  float alpha = 1e-4f;
  float beta = 0.75f;
  float bias = 1;
};

struct LinearLayer {
  int64_t features = 0; ///< of the output
  Initialization initialization = Initialization::uniform;
};

class GraphBuilder {
public:
  /// Without values the graph has the weights' names and shapes only: enough to count.
  enum class Weights { drawn, shapesOnly };

  /// `network` becomes the graph's name and stands in error messages.
  GraphBuilder(std::string network, uint64_t seed, Weights weights = Weights::drawn);

  /// The graph's input `input`, float [N, channels, height, width].
  Value input(int64_t channels, int64_t height, int64_t width);

  Value conv(const Value &x, const std::string &layer, const ConvLayer &options);
  Value batchNorm(const Value &x, const std::string &layer);
  /// A convolution without bias, which the BatchNorm behind it would subtract, and that BatchNorm.
  Value convNorm(const Value &x, const std::string &conv, const std::string &norm, ConvLayer options);
  Value lrn(const Value &x, const std::string &layer, const LrnLayer &options);
  Value relu(const Value &x, const std::string &layer);
  Value relu6(const Value &x, const std::string &layer);
  Value leakyRelu(const Value &x, const std::string &layer, float slope);
  Value maxPool(const Value &x, const std::string &layer, const PoolLayer &options);
  /// The mean of the pixels that are there: padding does not count.
  Value averagePool(const Value &x, const std::string &layer, const PoolLayer &options);
  Value globalAveragePool(const Value &x, const std::string &layer);
  Value add(const Value &a, const Value &b, const std::string &layer);
  /// One behind the other along the channels.
  Value concat(const std::vector<Value> &values, const std::string &layer);
  Value flatten(const Value &x, const std::string &layer);
  /// With ratio 0 no layer at all.
  Value dropout(const Value &x, const std::string &layer, double ratio);
  Value linear(const Value &x, const std::string &layer, const LinearLayer &options);

  /// Names `logits` as the graph's output, which is called `logits`, and hands the model over.
  onnx::ModelProto finish(const Value &logits);

  /// Of the layers so far.
  const Figures &figures() const { return counted; }

private:
  onnx::NodeProto &node(const std::string &type, const std::string &layer, const std::vector<std::string> &inputs);
  Value output(onnx::NodeProto &node, const std::vector<int64_t> &shape);
  Value pool(const char *type, const Value &x, const std::string &layer, const PoolLayer &options);
  int64_t windowed(const std::string &layer, int64_t extent, int64_t kernel, int64_t stride, int64_t padding,
                   bool ceilMode = false) const;

  std::string weight(const std::string &name, const std::vector<int64_t> &shape, int64_t fanIn,
                     Initialization initialization);
  std::string bias(const std::string &name, int64_t elements, int64_t fanIn, Initialization initialization);
  std::string perChannel(const std::string &name, int64_t channels, float value, int64_t &count);
  std::string scalar(const std::string &name, float value);
  std::string initializer(const std::string &name, const std::vector<int64_t> &shape,
                          const std::function<std::vector<float>()> &values);

  std::string network;
  uint64_t seed;
  Weights weights;
  Figures counted;
  onnx::ModelProto model;
};

} // namespace partyline::models
