//===- frontend/exporter.cpp - the user's model with trained weights ------===//

#include "frontend/exporter.h"

#include "frontend/onnx_file.h"
#include "runtime/shared/error.h"

#include <set>

namespace fs = std::filesystem;

namespace partyline {

namespace {

/// The model with all external data in memory.
onnx::ModelProto readWhole(const fs::path &path) {
  onnx::ModelProto model = readModelProto(path);
  forEachTensor(*model.mutable_graph(), [&](onnx::TensorProto &tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL)
      return;
    const std::string where = path.string() + ": tensor '" + tensor.name() + "'";
    const int64_t count = elementCount({tensor.dims().begin(), tensor.dims().end()}, where);
    const int64_t bytes = count * bytesPerElement(tensor.data_type());
    if (count > 0 && bytes == 0)
      throw cannotError(where + ": external data of its element type are not supported");
    tensor.set_raw_data(readExternalData(tensor, path.parent_path(), bytes, where));
    tensor.clear_external_data();
    tensor.clear_data_location();
  });
  return model;
}

class Exporter {
public:
  Exporter(const fs::path &path, const std::map<std::string, TrainedTensor> &trained)
      : file(path.string()), trained(trained), model(readWhole(path)), graph(*model.mutable_graph()) {}

  onnx::ModelProto run(const std::map<std::string, std::string> &metadata) {
    separateIdentities();
    replaceWeights();
    for (auto &node : *graph.mutable_node())
      if (node.domain().empty() || node.domain() == "ai.onnx")
        putInInferenceForm(node);
    dropVanishedOutputs();
    for (const auto &[key, value] : metadata)
      setMetadata(key, value);
    return std::move(model);
  }

private:
  /// Comes before weights are replaced, so that an Identity that was not trained keeps the data it had.
  void separateIdentities() {
    std::map<std::string, onnx::TensorProto> initializers; // those that Identities read
    std::set<std::string> sources;
    for (const auto &node : graph.node())
      if (isIdentity(node))
        sources.insert(node.input(0));
    for (const auto &tensor : graph.initializer())
      if (sources.count(tensor.name()))
        initializers[tensor.name()] = tensor;
    int kept = 0;
    for (int i = 0; i < graph.node_size(); ++i) {
      const auto &node = graph.node(i);
      if (isIdentity(node) && (trained.count(node.input(0)) || trained.count(node.output(0)))) {
        auto source = initializers.find(node.input(0));
        if (source != initializers.end() || trained.count(node.output(0))) {
          onnx::TensorProto own = source != initializers.end() ? source->second : emptyTensor(node.output(0));
          own.set_name(node.output(0));
          addInitializer(own);
          initializers[node.output(0)] = std::move(own); // an Identity of an Identity
          continue;
        }
      }
      graph.mutable_node()->SwapElements(kept++, i);
    }
    graph.mutable_node()->DeleteSubrange(kept, graph.node_size() - kept);
  }

  static bool isIdentity(const onnx::NodeProto &node) {
    return node.op_type() == "Identity" && node.input_size() == 1 && node.output_size() == 1 &&
           (node.domain().empty() || node.domain() == "ai.onnx");
  }

  /// For an Identity of a reshaped initializer: the trained tensor says the shape.
  onnx::TensorProto emptyTensor(const std::string &name) const {
    onnx::TensorProto tensor;
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (int64_t extent : trained.at(name).shape)
      tensor.add_dims(extent);
    return tensor;
  }

  void addInitializer(const onnx::TensorProto &tensor) {
    *graph.add_initializer() = tensor;
    if (model.ir_version() >= 4)
      return;
    auto *input = graph.add_input(); // older versions want each initializer among the inputs
    input->set_name(tensor.name());
    auto *type = input->mutable_type()->mutable_tensor_type();
    type->set_elem_type(tensor.data_type());
    for (int64_t extent : tensor.dims())
      type->mutable_shape()->add_dim()->set_dim_value(extent);
  }

  void replaceWeights() {
    std::set<std::string> missing;
    for (const auto &[name, tensor] : trained)
      missing.insert(name);
    for (auto &tensor : *graph.mutable_initializer()) {
      auto found = trained.find(tensor.name());
      if (found == trained.end())
        continue;
      const TrainedTensor &weights = found->second;
      const std::string where = file + ": initializer '" + tensor.name() + "'";
      std::vector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
      if (shape != weights.shape || elementCount(shape, where) != static_cast<int64_t>(weights.data.size()))
        throw inputError(where + " has shape " + shapeText(shape) + ", what was trained has shape " +
                         shapeText(weights.shape) + ": they are of different models");
      putFloats(tensor, weights.data, where);
      missing.erase(tensor.name());
    }
    if (!missing.empty())
      throw inputError(file + ": it has no initializer '" + *missing.begin() +
                       "', which was trained: they are of different models");
  }

  void putInInferenceForm(onnx::NodeProto &node) {
    if (node.op_type() == "Dropout" && node.input_size() > 2) {
      node.mutable_input()->DeleteSubrange(2, 1); // training_mode; without it Dropout passes its input on
      if (node.input(1).empty())
        node.mutable_input()->DeleteSubrange(1, 1);
      return;
    }
    if (node.op_type() != "BatchNormalization")
      return;
    auto &attributes = *node.mutable_attribute();
    for (int i = attributes.size(); i-- > 0;)
      if (attributes[i].name() == "training_mode")
        attributes.DeleteSubrange(i, 1);
    // In inference form the running statistics that come out are those that go in.
    for (int i = 1; i < node.output_size(); ++i)
      if (!node.output(i).empty())
        vanished[node.output(i)] = i <= 2 && node.input_size() == 5 ? node.input(2 + i) : std::string();
    if (node.output_size() > 1)
      node.mutable_output()->DeleteSubrange(1, node.output_size() - 1);
  }

  void dropVanishedOutputs() {
    for (auto &node : *graph.mutable_node())
      for (auto &input : *node.mutable_input()) {
        auto found = vanished.find(input);
        if (found == vanished.end())
          continue;
        if (found->second.empty())
          throw cannotError(file + ": node '" + node.name() + "' (" + node.op_type() + ") uses '" + input +
                            "', statistics that exist only while training");
        input = found->second;
      }
    for (auto *values : {graph.mutable_output(), graph.mutable_value_info()}) {
      int kept = 0;
      for (int i = 0; i < values->size(); ++i)
        if (!vanished.count(values->Get(i).name()))
          values->SwapElements(kept++, i);
      values->DeleteSubrange(kept, values->size() - kept);
    }
  }

  void setMetadata(const std::string &key, const std::string &value) {
    for (auto &entry : *model.mutable_metadata_props())
      if (entry.key() == key) {
        entry.set_value(value);
        return;
      }
    auto *entry = model.add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }

  const std::string file;
  const std::map<std::string, TrainedTensor> &trained;
  onnx::ModelProto model;
  onnx::GraphProto &graph;
  std::map<std::string, std::string> vanished; ///< output that training form had -> what to use in its place
};

} // namespace

void exportModel(const fs::path &modelPath, const std::map<std::string, TrainedTensor> &trained,
                 const fs::path &outPath, const std::map<std::string, std::string> &metadata, int64_t mostInlineBytes) {
  writeModelProto(Exporter(modelPath, trained).run(metadata), outPath, mostInlineBytes);
}

void copyModel(const fs::path &modelPath, const fs::path &outPath, int64_t mostInlineBytes) {
  writeModelProto(readWhole(modelPath), outPath, mostInlineBytes);
}

} // namespace partyline
