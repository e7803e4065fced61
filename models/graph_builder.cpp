#include "models/graph_builder.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace partyline::models {

namespace {

// Opset 17 is the newest one that the installed ONNX library knows; IR version 8 came with it.
constexpr int64_t kOpset = 17, kIrVersion = 8;

int64_t product(const std::vector<int64_t> &shape) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  return elements;
}

void setShape(onnx::ValueInfoProto &info, const Value &value) {
  info.set_name(value.name);
  onnx::TypeProto_Tensor *type = info.mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  type->mutable_shape()->add_dim()->set_dim_param("N");
  for (int64_t extent : value.shape)
    type->mutable_shape()->add_dim()->set_dim_value(extent);
}

void attribute(onnx::NodeProto &node, const char *name, int64_t value) {
  onnx::AttributeProto *added = node.add_attribute();
  added->set_name(name);
  added->set_type(onnx::AttributeProto::INT);
  added->set_i(value);
}

void attribute(onnx::NodeProto &node, const char *name, float value) {
  onnx::AttributeProto *added = node.add_attribute();
  added->set_name(name);
  added->set_type(onnx::AttributeProto::FLOAT);
  added->set_f(value);
}

void attribute(onnx::NodeProto &node, const char *name, const std::vector<int64_t> &values) {
  onnx::AttributeProto *added = node.add_attribute();
  added->set_name(name);
  added->set_type(onnx::AttributeProto::INTS);
  for (int64_t value : values)
    added->add_ints(value);
}

/// `block1.conv` to `/block1/conv`.
std::string scopeOf(const std::string &layer) {
  std::string scope = "/" + layer;
  for (char &c : scope)
    if (c == '.')
      c = '/';
  return scope;
}

} // namespace

GraphBuilder::GraphBuilder(std::string network, uint64_t seed, Weights weights)
    : network(std::move(network)), seed(seed), weights(weights) {
  model.set_ir_version(kIrVersion);
  model.set_producer_name("partyline");
  model.set_producer_version(PARTYLINE_VERSION);
  onnx::OperatorSetIdProto *opset = model.add_opset_import();
  opset->set_domain("");
  opset->set_version(kOpset);
  model.mutable_graph()->set_name(this->network);
}

Value GraphBuilder::input(int64_t channels, int64_t height, int64_t width) {
  Value value{"input", {channels, height, width}};
  setShape(*model.mutable_graph()->add_input(), value);
  return value;
}

Value GraphBuilder::conv(const Value &x, const std::string &layer, const ConvLayer &options) {
  const auto &[channels, kernel, stride, padding, groups, hasBias, initialization] = options;
  assert(x.shape[0] % groups == 0 && channels % groups == 0 && "groups divide the channels");
  int64_t fanIn = x.shape[0] / groups * kernel.height * kernel.width;
  std::vector<std::string> inputs = {x.name};
  inputs.push_back(
      weight(layer + ".weight", {channels, x.shape[0] / groups, kernel.height, kernel.width}, fanIn, initialization));
  if (hasBias)
    inputs.push_back(bias(layer + ".bias", channels, fanIn, initialization));
  onnx::NodeProto &conv = node("Conv", layer, inputs);
  attribute(conv, "dilations", {1, 1});
  attribute(conv, "group", groups);
  attribute(conv, "kernel_shape", {kernel.height, kernel.width});
  attribute(conv, "pads", {padding.height, padding.width, padding.height, padding.width});
  attribute(conv, "strides", {stride, stride});
  Value y = output(conv, {channels, windowed(layer, x.shape[1], kernel.height, stride, padding.height),
                          windowed(layer, x.shape[2], kernel.width, stride, padding.width)});
  counted.multiplyAdds += product(y.shape) * fanIn;
  return y;
}

Value GraphBuilder::batchNorm(const Value &x, const std::string &layer) {
  int64_t channels = x.shape[0];
  onnx::NodeProto &norm = node("BatchNormalization", layer,
                               {x.name, perChannel(layer + ".weight", channels, 1, counted.parameters),
                                perChannel(layer + ".bias", channels, 0, counted.parameters),
                                perChannel(layer + ".running_mean", channels, 0, counted.state),
                                perChannel(layer + ".running_var", channels, 1, counted.state)});
  attribute(norm, "epsilon", 1e-5f);
  attribute(norm, "momentum", 0.9f);
  attribute(norm, "training_mode", int64_t{1});
  Value y = output(norm, x.shape);
  output(norm, {channels}); // the new running mean and variance: read by nobody inside the graph
  output(norm, {channels});
  return y;
}

Value GraphBuilder::convNorm(const Value &x, const std::string &conv, const std::string &norm, ConvLayer options) {
  options.bias = false;
  return batchNorm(this->conv(x, conv, options), norm);
}

Value GraphBuilder::lrn(const Value &x, const std::string &layer, const LrnLayer &options) {
  onnx::NodeProto &lrn = node("LRN", layer, {x.name});
  attribute(lrn, "alpha", options.alpha);
  attribute(lrn, "beta", options.beta);
  attribute(lrn, "bias", options.bias);
  attribute(lrn, "size", options.size);
  return output(lrn, x.shape);
}

Value GraphBuilder::relu(const Value &x, const std::string &layer) {
  return output(node("Relu", layer, {x.name}), x.shape);
}

Value GraphBuilder::relu6(const Value &x, const std::string &layer) {
  std::string minimum = scalar(layer + ".min", 0), maximum = scalar(layer + ".max", 6);
  return output(node("Clip", layer, {x.name, minimum, maximum}), x.shape);
}

Value GraphBuilder::leakyRelu(const Value &x, const std::string &layer, float slope) {
  onnx::NodeProto &relu = node("LeakyRelu", layer, {x.name});
  attribute(relu, "alpha", slope);
  return output(relu, x.shape);
}

Value GraphBuilder::maxPool(const Value &x, const std::string &layer, const PoolLayer &options) {
  return pool("MaxPool", x, layer, options);
}

Value GraphBuilder::averagePool(const Value &x, const std::string &layer, const PoolLayer &options) {
  return pool("AveragePool", x, layer, options);
}

Value GraphBuilder::globalAveragePool(const Value &x, const std::string &layer) {
  return output(node("GlobalAveragePool", layer, {x.name}), {x.shape[0], 1, 1});
}

Value GraphBuilder::add(const Value &a, const Value &b, const std::string &layer) {
  assert(a.shape == b.shape);
  return output(node("Add", layer, {a.name, b.name}), a.shape);
}

Value GraphBuilder::concat(const std::vector<Value> &values, const std::string &layer) {
  std::vector<std::string> names;
  std::vector<int64_t> shape = values.front().shape;
  shape[0] = 0;
  for (const Value &value : values) {
    assert(value.shape[1] == shape[1] && value.shape[2] == shape[2]);
    names.push_back(value.name);
    shape[0] += value.shape[0];
  }
  onnx::NodeProto &concat = node("Concat", layer, names);
  attribute(concat, "axis", int64_t{1});
  return output(concat, shape);
}

Value GraphBuilder::flatten(const Value &x, const std::string &layer) {
  onnx::NodeProto &flatten = node("Flatten", layer, {x.name});
  attribute(flatten, "axis", int64_t{1});
  return output(flatten, {product(x.shape)});
}

Value GraphBuilder::dropout(const Value &x, const std::string &layer, double ratio) {
  if (ratio == 0)
    return x;
  std::string ratioName = scalar(layer + ".ratio", static_cast<float>(ratio));
  onnx::TensorProto *mode = model.mutable_graph()->add_initializer();
  mode->set_name(layer + ".training_mode");
  mode->set_data_type(onnx::TensorProto::BOOL);
  mode->set_raw_data(std::string(1, '\1'));
  return output(node("Dropout", layer, {x.name, ratioName, layer + ".training_mode"}), x.shape);
}

Value GraphBuilder::linear(const Value &x, const std::string &layer, const LinearLayer &options) {
  int64_t fanIn = x.shape[0];
  std::string weightName = weight(layer + ".weight", {options.features, fanIn}, fanIn, options.initialization);
  std::string biasName = bias(layer + ".bias", options.features, fanIn, options.initialization);
  onnx::NodeProto &gemm = node("Gemm", layer, {x.name, weightName, biasName});
  attribute(gemm, "alpha", 1.0f);
  attribute(gemm, "beta", 1.0f);
  attribute(gemm, "transB", int64_t{1});
  counted.multiplyAdds += options.features * fanIn;
  return output(gemm, {options.features});
}

onnx::ModelProto GraphBuilder::finish(const Value &logits) {
  onnx::GraphProto &graph = *model.mutable_graph();
  onnx::NodeProto &last = *graph.mutable_node(graph.node_size() - 1);
  assert(last.output(0) == logits.name && "the last layer's value is the output");
  last.set_output(0, "logits");
  setShape(*graph.add_output(), {"logits", logits.shape});
  return std::move(model);
}

onnx::NodeProto &GraphBuilder::node(const std::string &type, const std::string &layer,
                                    const std::vector<std::string> &inputs) {
  onnx::NodeProto &added = *model.mutable_graph()->add_node();
  added.set_op_type(type);
  added.set_name(scopeOf(layer) + "/" + type);
  for (const std::string &input : inputs)
    added.add_input(input);
  return added;
}

Value GraphBuilder::output(onnx::NodeProto &node, const std::vector<int64_t> &shape) {
  std::string name = node.name() + "_output_" + std::to_string(node.output_size());
  node.add_output(name);
  return {name, shape};
}

Value GraphBuilder::pool(const char *type, const Value &x, const std::string &layer, const PoolLayer &options) {
  const auto &[kernel, stride, padding, ceilMode] = options;
  onnx::NodeProto &pool = node(type, layer, {x.name});
  attribute(pool, "ceil_mode", int64_t{ceilMode});
  attribute(pool, "kernel_shape", {kernel, kernel});
  attribute(pool, "pads", {padding, padding, padding, padding});
  attribute(pool, "strides", {stride, stride});
  return output(pool, {x.shape[0], windowed(layer, x.shape[1], kernel, stride, padding, ceilMode),
                       windowed(layer, x.shape[2], kernel, stride, padding, ceilMode)});
}

/// The extent of what a window of `kernel` yields as it slides over `extent`. Of less than `stride` pixels there is
/// nothing left to halve: the image is too small for the network, though padding would let the window fit.
int64_t GraphBuilder::windowed(const std::string &layer, int64_t extent, int64_t kernel, int64_t stride,
                               int64_t padding, bool ceilMode) const {
  int64_t overhang = ceilMode ? stride - 1 : 0;
  int64_t least = std::max(kernel - 2 * padding - overhang, stride);
  if (extent < least)
    throw inputError(network + " cannot take images this small: layer '" + layer + "' needs " + std::to_string(least) +
                     " pixels a side and gets " + std::to_string(extent) + "; give a larger input");
  return (extent + 2 * padding - kernel + overhang) / stride + 1;
}

std::string GraphBuilder::weight(const std::string &name, const std::vector<int64_t> &shape, int64_t fanIn,
                                 Initialization initialization) {
  counted.parameters += product(shape);
  return initializer(name, shape, [&] { return drawWeights(seed, name, product(shape), fanIn, initialization); });
}

std::string GraphBuilder::bias(const std::string &name, int64_t elements, int64_t fanIn,
                               Initialization initialization) {
  return initialization == Initialization::uniform ? weight(name, {elements}, fanIn, initialization)
                                                   : perChannel(name, elements, 0, counted.parameters);
}

/// One tensor with `value` for each channel, added to what `count` counts.
std::string GraphBuilder::perChannel(const std::string &name, int64_t channels, float value, int64_t &count) {
  count += channels;
  return initializer(name, {channels}, [&] { return std::vector<float>(channels, value); });
}

/// A setting of a layer, not trained.
std::string GraphBuilder::scalar(const std::string &name, float value) {
  return initializer(name, {}, [&] { return std::vector<float>{value}; });
}

std::string GraphBuilder::initializer(const std::string &name, const std::vector<int64_t> &shape,
                                      const std::function<std::vector<float>()> &values) {
  static_assert(std::endian::native == std::endian::little, "ONNX's raw_data is little-endian");
  onnx::TensorProto *tensor = model.mutable_graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t extent : shape)
    tensor->add_dims(extent);
  if (weights == Weights::drawn) {
    std::vector<float> drawn = values();
    tensor->set_raw_data(drawn.data(), drawn.size() * sizeof(float));
  }
  return name;
}

} // namespace partyline::models
