//===- frontend/onnx_model.cpp - ModelProto -> OnnxGraph ------------------===//

#include "frontend/onnx_model.h"

#include "frontend/onnx_file.h"
#include "runtime/shared/error.h"

#include <set>

namespace fs = std::filesystem;

namespace partyline {

namespace {

class Loader {
public:
  explicit Loader(const fs::path &path) : file(path.string()), folder(path.parent_path()) {}

  OnnxGraph load() {
    onnx::ModelProto model = readModelProto(file);
    onnx::GraphProto &graph = *model.mutable_graph();
    result.path = file;
    result.name = graph.name();
    result.producer = model.producer_name();
    result.opset = defaultOpset(model);
    loadInitializers(graph);
    for (const auto &input : graph.input())
      if (!result.initializers.count(input.name()))
        result.inputs.push_back(value(input, "graph input"));
    result.nodes = loadNodes(graph);
    for (const auto &output : graph.output())
      result.outputs.push_back(value(output, "graph output"));
    checkOrder();
    return std::move(result);
  }

private:
  void loadInitializers(onnx::GraphProto &graph) {
    if (graph.sparse_initializer_size() > 0)
      throw cannotError(file + ": initializer '" + graph.sparse_initializer(0).values().name() +
                        "' is sparse, which is not supported");
    for (auto &tensor : *graph.mutable_initializer()) {
      if (tensor.name().empty())
        throw inputError(file + ": an initializer has no name");
      std::string where = file + ": initializer '" + tensor.name() + "'";
      if (result.initializers.count(tensor.name()))
        throw inputError(where + ": there are two of this name");
      std::string name = tensor.name();
      result.initializers.emplace(std::move(name), takeTensor(tensor, folder, where));
    }
  }

  OnnxValue value(const onnx::ValueInfoProto &info, const std::string &kind) const {
    std::string where = file + ": " + kind + " '" + info.name() + "'";
    if (info.name().empty())
      throw inputError(file + ": a " + kind + " has no name");
    OnnxValue result;
    result.name = info.name();
    if (!info.has_type() || !info.type().has_tensor_type()) {
      if (info.has_type() && info.type().value_case() != onnx::TypeProto::VALUE_NOT_SET)
        throw cannotError(where + " is not a tensor, which is not supported");
      return result;
    }
    const auto &tensor = info.type().tensor_type();
    result.type = static_cast<OnnxType>(tensor.elem_type());
    result.hasShape = tensor.has_shape();
    for (const auto &extent : tensor.shape().dim()) {
      if (extent.has_dim_value() && extent.dim_value() < 0)
        throw inputError(where + " has the negative extent " + std::to_string(extent.dim_value()));
      result.shape.push_back(extent.has_dim_value() ? extent.dim_value() : -1);
    }
    return result;
  }

  std::vector<OnnxNode> loadNodes(onnx::GraphProto &graph) const {
    std::vector<OnnxNode> nodes;
    for (auto &node : *graph.mutable_node())
      nodes.push_back(loadNode(node, nodes.size()));
    return nodes;
  }

  OnnxNode loadNode(onnx::NodeProto &node, size_t index) const {
    OnnxNode loaded;
    loaded.opType = node.op_type();
    loaded.domain = node.domain() == "ai.onnx" ? std::string() : node.domain();
    loaded.name = node.name().empty() ? node.op_type() + "_" + std::to_string(index) : node.name();
    if (loaded.opType.empty())
      throw inputError(file + ": node '" + loaded.name + "' has no operator");
    loaded.inputs.assign(node.input().begin(), node.input().end());
    loaded.outputs.assign(node.output().begin(), node.output().end());
    for (auto &attribute : *node.mutable_attribute()) {
      std::string where = file + ": " + loaded.describe() + ": attribute '" + attribute.name() + "'";
      if (!loaded.attributes.emplace(attribute.name(), convert(attribute, where)).second)
        throw inputError(where + ": there are two of this name");
    }
    return loaded;
  }

  // A branch. What it computes is checked when the branch is taken.
  std::shared_ptr<const OnnxSubgraph> loadSubgraph(onnx::GraphProto &graph, const std::string &where) const {
    if (graph.input_size() > 0 || graph.sparse_initializer_size() > 0)
      throw cannotError(where + " has inputs or sparse initializers, which are not supported");
    OnnxSubgraph branch;
    for (auto &tensor : *graph.mutable_initializer()) {
      OnnxNode constant;
      constant.name = tensor.name();
      constant.opType = "Constant";
      constant.outputs = {tensor.name()};
      constant.attributes.emplace("value", takeTensor(tensor, folder, where + ": initializer '" + constant.name + "'"));
      branch.nodes.push_back(std::move(constant));
    }
    for (OnnxNode &node : loadNodes(graph))
      branch.nodes.push_back(std::move(node));
    for (const auto &output : graph.output())
      branch.outputs.push_back(output.name());
    return std::make_shared<const OnnxSubgraph>(std::move(branch));
  }

  OnnxAttribute convert(onnx::AttributeProto &attribute, const std::string &where) const {
    switch (attribute.type()) {
    case onnx::AttributeProto::INT:
      return attribute.i();
    case onnx::AttributeProto::FLOAT:
      return attribute.f();
    case onnx::AttributeProto::STRING:
      return attribute.s();
    case onnx::AttributeProto::INTS:
      return std::vector<int64_t>(attribute.ints().begin(), attribute.ints().end());
    case onnx::AttributeProto::FLOATS:
      return std::vector<float>(attribute.floats().begin(), attribute.floats().end());
    case onnx::AttributeProto::STRINGS:
      return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
    case onnx::AttributeProto::TENSOR:
      if (attribute.t().data_type() == onnx::TensorProto::STRING)
        return OnnxOtherAttribute{"tensor of strings"};
      return takeTensor(*attribute.mutable_t(), folder, where);
    case onnx::AttributeProto::GRAPH:
      return loadSubgraph(*attribute.mutable_g(), where);
    default:
      return OnnxOtherAttribute{"attribute of type " + std::to_string(attribute.type())};
    }
  }

  /// Each value is made once, before it is used.
  void checkOrder() const {
    std::set<std::string> madeSomewhere, known;
    for (const auto &[name, tensor] : result.initializers)
      known.insert(name);
    for (const auto &input : result.inputs)
      if (!known.insert(input.name).second)
        throw inputError(file + ": there are two graph inputs named '" + input.name + "'");
    for (const auto &node : result.nodes)
      madeSomewhere.insert(node.outputs.begin(), node.outputs.end());
    for (const auto &node : result.nodes) {
      std::string where = file + ": " + node.describe();
      for (const auto &name : node.inputs)
        if (!name.empty() && !known.count(name))
          throw inputError(where + " uses '" + name + "', which " +
                           (madeSomewhere.count(name) ? "a later node makes: nodes must be in topological order"
                                                      : "is no input, initializer or output of a node"));
      for (const auto &name : node.outputs)
        if (!name.empty() && !known.insert(name).second)
          throw inputError(where + " makes '" + name + "', which exists already");
    }
    std::set<std::string> outputs;
    for (const auto &output : result.outputs) {
      if (!known.count(output.name))
        throw inputError(file + ": graph output '" + output.name + "' is made by no node");
      if (!outputs.insert(output.name).second)
        throw inputError(file + ": there are two graph outputs named '" + output.name + "'");
    }
    if (outputs.empty())
      throw inputError(file + ": the graph has no outputs");
  }

  const std::string file;
  const fs::path folder;
  OnnxGraph result;
};

} // namespace

OnnxGraph loadOnnxModel(const fs::path &path) { return Loader(path).load(); }

} // namespace partyline
