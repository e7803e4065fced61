//===- frontend/node_importer.cpp - a node, for its import function -------===//
#include "frontend/graph_importer.h"

using namespace mlir;

namespace partyline {

namespace {

/// A node as the operators' import functions see it.
class NodeImporter : public OnnxNodeImporter {
public:
  NodeImporter(GraphImporter &importer, const OnnxNode &node)
      : OnnxNodeImporter(importer.builder, NameLoc::get(importer.builder.getStringAttr(node.name))), importer(importer),
        node(node) {}

  const std::string &operatorName() const override { return node.opType; }
  int opset() const override { return int(importer.graph.opset); }
  unsigned numInputs() const override { return unsigned(node.inputs.size()); }
  unsigned numOutputs() const override { return unsigned(node.outputs.size()); }
  bool hasInput(unsigned index) const override { return !node.input(index).empty(); }

  Value data(unsigned index) override { return take(index, kConstantKind); }
  Value parameter(unsigned index) override { return take(index, kParameterKind); }
  Value state(unsigned index) override { return take(index, kStateKind); }

  Value operand(unsigned index) override {
    const SymbolicValue *known = importer.arithmetic.find(node.input(index));
    bool besideTrained = llvm::any_of(node.inputs, [&](const std::string &name) {
      auto value = importer.values.find(name);
      return value != importer.values.end() && importer.trained.contains(value->second);
    });
    return take(index, known && known->size() > 1 && besideTrained ? kParameterKind : kConstantKind);
  }

  Value condition(unsigned index) override {
    const SymbolicValue *known = importer.arithmetic.find(node.input(index));
    return known && isInteger(known->type) ? importer.flags(node.input(index), *known) : take(index, kConstantKind);
  }

  Value labels(unsigned index, ArrayRef<int64_t> shape) override { return importer.labels(node.input(index), shape); }
  Value sampleIds() override { return importer.sampleIds; }

  std::optional<std::vector<int64_t>> constantInts(unsigned index) override {
    return importer.arithmetic.integers(node.input(index));
  }

  std::optional<std::vector<double>> constantFloats(unsigned index) override {
    const SymbolicValue *known = importer.arithmetic.find(node.input(index));
    if (!known || !isFloat(known->type))
      return std::nullopt;
    return std::vector<double>(known->tensor->floats.begin(), known->tensor->floats.end());
  }

  std::optional<std::vector<int64_t>> constantShape(unsigned index) override {
    const SymbolicValue *known = importer.arithmetic.find(node.input(index));
    return known ? std::optional(known->shape) : std::nullopt;
  }

  std::optional<std::vector<int64_t>> shape(unsigned index) override {
    const SymbolicValue *known = importer.arithmetic.find(node.input(index));
    if (!known || !isInteger(known->type))
      return std::nullopt;
    std::vector<int64_t> shape;
    for (SymbolicInteger element : known->elements) {
      if (!element.isConstant() && element != SymbolicInteger{1, 0})
        unsupported("a dimension of the shape is a multiple of the batch size");
      if (element.isConstant() && element.constant < -1)
        unsupported("the shape has the negative dimension " + std::to_string(element.constant));
      shape.push_back(element.isConstant() ? element.constant : kBatch);
    }
    return shape;
  }

  std::optional<int64_t> intAttribute(const std::string &name) const override {
    return node.has(name) ? std::optional(node.integer(name, 0)) : std::nullopt;
  }
  std::optional<double> floatAttribute(const std::string &name) const override {
    return node.has(name) ? std::optional<double>(node.real(name, 0)) : std::nullopt;
  }
  std::optional<std::string> stringAttribute(const std::string &name) const override {
    return node.has(name) ? std::optional(node.text(name, "")) : std::nullopt;
  }
  std::optional<std::vector<int64_t>> intsAttribute(const std::string &name) const override {
    return node.has(name) ? std::optional(node.integers(name, {})) : std::nullopt;
  }

  std::optional<std::vector<double>> floatsAttribute(const std::string &name) const override {
    std::vector<float> values = node.reals(name, {});
    return node.has(name) ? std::optional(std::vector<double>(values.begin(), values.end())) : std::nullopt;
  }

  Value constant(const std::string &name, ArrayRef<int64_t> shape, const std::vector<float> &values) override {
    return importer.constant(node.name + "." + name, shape, values);
  }

  void setOutput(unsigned index, Value value) override { makeOutput(index, value, importer.values); }
  void setMergedOutput(unsigned index, Value value) override { makeOutput(index, value, importer.merged); }

  void setSequence(unsigned index, ArrayRef<Value> values) override {
    importer.sequences[node.output(index)].assign(values.begin(), values.end());
    for (Value value : values)
      noteTrained(value);
  }

  ArrayRef<Value> sequence(unsigned index) override {
    const auto known = importer.sequences.find(node.input(index));
    if (known == importer.sequences.end())
      unsupported("input '" + node.input(index) + "' is no sequence that was split off a tensor");
    return known->second;
  }

  bool batchIsMerged(unsigned index) override { return importer.merged.count(node.input(index)); }

  Value mergedData(unsigned index) override {
    Value value = importer.merged.at(node.input(index));
    usesTrained |= importer.trained.contains(value);
    return value;
  }

  void setLoss(Value losses) override {
    importer.losses = losses;
    importer.lossName = node.output(0);
    importer.scores = data(0);
    importer.scoresName = node.input(0);
    importer.result.loss = node.describe();
  }

  int64_t nextDropoutLayer() override { return importer.result.dropouts++; }

  [[noreturn]] void unsupported(const std::string &why) const override { throw Unsupported{why}; }

private:
  void makeOutput(unsigned index, Value value, std::map<std::string, Value> &values) {
    if (node.output(index).empty())
      return;
    if (!isOfUsualSize(typeOf(value).getShape()))
      unsupported("its output is too large");
    values[node.output(index)] = value;
    noteTrained(value);
  }

  void noteTrained(Value value) {
    bool dependsOnTrained = usesTrained;
    if (Operation *op = value.getDefiningOp())
      dependsOnTrained |= llvm::any_of(op->getOperands(), [&](Value v) { return importer.trained.contains(v); });
    if (dependsOnTrained)
      importer.trained.insert(value);
  }

  // Input `index`: an activation, or a weight of this kind.
  Value take(unsigned index, StringRef kind) {
    const std::string &name = node.input(index);
    if (name.empty())
      unsupported("input " + std::to_string(index) + " is missing");
    if (importer.losses && name == importer.lossName)
      unsupported("nothing may come behind the loss '" + name + "'");
    if (importer.merged.count(name))
      unsupported("the batch is merged with another dimension in '" + name + "': only Reshape and Transpose take that");
    if (name == importer.labelsName)
      unsupported("input '" + name + "' holds labels, which the loss alone may take");
    Value value;
    if (auto known = importer.values.find(name); known != importer.values.end())
      value = known->second;
    else if (importer.arithmetic.find(name))
      value = importer.weight(name, kind, location);
    else
      unsupported("input '" + name + "' is an output that cannot be trained");
    if (kind == kParameterKind)
      importer.train(value);
    usesTrained |= importer.trained.contains(value);
    return value;
  }

  GraphImporter &importer;
  const OnnxNode &node;
  bool usesTrained = false;
};

} // namespace

std::unique_ptr<OnnxNodeImporter> makeNodeImporter(GraphImporter &importer, const OnnxNode &node) {
  return std::make_unique<NodeImporter>(importer, node);
}

} // namespace partyline
