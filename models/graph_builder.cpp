#include "models/graph_builder.h"

#include "models/random_weights.h"
#include "runtime/shared/error.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
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

GraphBuilder::GraphBuilder(std::string network, uint64_t seed) : network(std::move(network)), seed(seed) {
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
  int64_t fanIn = x.shape[0] * options.kernel * options.kernel;
  std::vector<std::string> inputs = {x.name};
  inputs.push_back(weight(layer + ".weight", {options.channels, x.shape[0], options.kernel, options.kernel}, fanIn,
                          options.initialization));
  if (options.bias)
    inputs.push_back(bias(layer + ".bias", options.channels, fanIn, options.initialization));
  onnx::NodeProto &conv = node("Conv", layer, inputs);
  attribute(conv, "dilations", {1, 1});
  attribute(conv, "group", int64_t{1});
  attribute(conv, "kernel_shape", {options.kernel, options.kernel});
  attribute(conv, "pads", {options.padding, options.padding, options.padding, options.padding});
  attribute(conv, "strides", {options.stride, options.stride});
  return output(conv, {options.channels, windowed(layer, x.shape[1], options.kernel, options.stride, options.padding),
                       windowed(layer, x.shape[2], options.kernel, options.stride, options.padding)});
}

Value GraphBuilder::batchNorm(const Value &x, const std::string &layer) {
  int64_t channels = x.shape[0];
  std::vector<std::string> inputs = {x.name, filled(layer + ".weight", channels, 1),
                                     filled(layer + ".bias", channels, 0), filled(layer + ".running_mean", channels, 0),
                                     filled(layer + ".running_var", channels, 1)};
  onnx::NodeProto &norm = node("BatchNormalization", layer, inputs);
  attribute(norm, "epsilon", 1e-5f);
  attribute(norm, "momentum", 0.9f);
  attribute(norm, "training_mode", int64_t{1});
  Value y = output(norm, x.shape);
  output(norm, {channels}); // the new running mean and variance: read by nobody inside the graph
  output(norm, {channels});
  return y;
}

Value GraphBuilder::relu(const Value &x, const std::string &layer) {
  return output(node("Relu", layer, {x.name}), x.shape);
}

Value GraphBuilder::maxPool(const Value &x, const std::string &layer, int64_t kernel, int64_t stride) {
  onnx::NodeProto &pool = node("MaxPool", layer, {x.name});
  attribute(pool, "ceil_mode", int64_t{0});
  attribute(pool, "kernel_shape", {kernel, kernel});
  attribute(pool, "pads", {0, 0, 0, 0});
  attribute(pool, "strides", {stride, stride});
  return output(pool, {x.shape[0], windowed(layer, x.shape[1], kernel, stride, 0),
                       windowed(layer, x.shape[2], kernel, stride, 0)});
}

Value GraphBuilder::globalAveragePool(const Value &x, const std::string &layer) {
  return output(node("GlobalAveragePool", layer, {x.name}), {x.shape[0], 1, 1});
}

Value GraphBuilder::add(const Value &a, const Value &b, const std::string &layer) {
  return output(node("Add", layer, {a.name, b.name}), a.shape);
}

Value GraphBuilder::flatten(const Value &x, const std::string &layer) {
  onnx::NodeProto &flatten = node("Flatten", layer, {x.name});
  attribute(flatten, "axis", int64_t{1});
  return output(flatten, {product(x.shape)});
}

Value GraphBuilder::dropout(const Value &x, const std::string &layer, double ratio) {
  std::string ratioName = initializer(layer + ".ratio", {}, {static_cast<float>(ratio)});
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

/// The extent of what a window of `kernel` yields as it slides over `extent`.
int64_t GraphBuilder::windowed(const std::string &layer, int64_t extent, int64_t kernel, int64_t stride,
                               int64_t padding) const {
  if (extent + 2 * padding < kernel)
    throw inputError(network + " cannot take images this small: layer '" + layer + "' needs " +
                     std::to_string(kernel - 2 * padding) + " pixels a side and gets " + std::to_string(extent) +
                     "; give a larger input");
  return (extent + 2 * padding - kernel) / stride + 1;
}

std::string GraphBuilder::weight(const std::string &name, const std::vector<int64_t> &shape, int64_t fanIn,
                                 Initialization initialization) {
  RandomWeights random(seed, name);
  std::vector<float> values(product(shape));
  double inverse = 1.0 / static_cast<double>(fanIn);
  for (float &value : values) {
    switch (initialization) {
    case Initialization::uniform:
      value = static_cast<float>(random.uniform() * std::sqrt(inverse));
      break;
    case Initialization::he:
      value = static_cast<float>(random.normal() * std::sqrt(2 * inverse));
      break;
    case Initialization::smallNormal:
      value = static_cast<float>(random.normal() * 0.01);
      break;
    }
  }
  return initializer(name, shape, values);
}

std::string GraphBuilder::bias(const std::string &name, int64_t elements, int64_t fanIn,
                               Initialization initialization) {
  return initialization == Initialization::uniform ? weight(name, {elements}, fanIn, initialization)
                                                   : filled(name, elements, 0);
}

std::string GraphBuilder::filled(const std::string &name, int64_t elements, float value) {
  return initializer(name, {elements}, std::vector<float>(elements, value));
}

std::string GraphBuilder::initializer(const std::string &name, const std::vector<int64_t> &shape,
                                      const std::vector<float> &values) {
  static_assert(std::endian::native == std::endian::little, "ONNX's raw_data is little-endian");
  onnx::TensorProto *tensor = model.mutable_graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t extent : shape)
    tensor->add_dims(extent);
  tensor->set_raw_data(values.data(), values.size() * sizeof(float));
  return name;
}

} // namespace partyline::models
