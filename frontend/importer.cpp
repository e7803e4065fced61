//===- frontend/importer.cpp - an ONNX graph becomes party ops ------------===//
//
// Nodes are taken in order. What shape arithmetic can compute leaves no op; every other node goes to the import
// function of its operator (ir/onnx_imports.h). A node that cannot be trained is noted, what depends on it is passed
// over, and all of them are reported together.
//
//===----------------------------------------------------------------------===//
#include "frontend/importer.h"

#include "frontend/constant_folding.h"
#include "ir/op_helpers.h"
#include "runtime/shared/error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;

namespace partyline {

namespace {

/// Whether the size of a sample can be computed with: far beyond any memory, and far from overflow.
bool isOfUsualSize(ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    if (extent != kBatch && (llvm::MulOverflow(size, extent, size) || size > int64_t(1) << 40))
      return false;
  return true;
}

/// Why a node cannot be trained. Never leaves importModel.
struct Unsupported {
  std::string why;
};

/// What importing has made so far.
class GraphImporter {
public:
  GraphImporter(const OnnxGraph &graph, MLIRContext &context)
      : graph(graph), builder(&context), arithmetic(graph, [this](const std::string &name) { return shapeOf(name); }) {}

  ImportedModel run();

  const OnnxGraph &graph;
  OpBuilder builder;
  ShapeArithmetic arithmetic;
  std::map<std::string, Value> values; ///< activations by name
  DenseSet<Value> trained;             ///< values that depend on a parameter
  ImportedModel result;
  Value sampleIds;
  Value losses, scores; ///< of the loss in the graph; null where there is none
  std::string lossName, scoresName, labelsName;

  std::optional<std::vector<int64_t>> shapeOf(const std::string &name) const;
  Value weight(const std::string &name, StringRef kind, Location location);
  Value constant(const std::string &name, ArrayRef<int64_t> shape, const std::vector<float> &values);
  Value labels(const std::string &name, ArrayRef<int64_t> shape);
  Value flags(const std::string &name, const SymbolicValue &known);
  void train(Value value);

private:
  void makeFunction();
  Value output();
  party::ParameterOp makeWeight(const std::string &name, StringRef kind, ArrayRef<int64_t> shape);
  void importNode(const OnnxNode &node);
  void importBranch(const OnnxNode &node);
  void refuse(const OnnxNode &node, const std::string &why);
  void verifyModule();

  func::FuncOp function;
  std::map<std::string, party::ParameterOp> weights; ///< by weight name
  DenseSet<Value> trainedThroughViews;               ///< weights that train() found
  std::set<std::string> refused;                     ///< values that a refused node would have made
  std::vector<std::string> messages;
};

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

  void setOutput(unsigned index, Value value) override {
    if (node.output(index).empty())
      return;
    if (!isOfUsualSize(typeOf(value).getShape()))
      unsupported("its output is too large");
    importer.values[node.output(index)] = value;
    bool dependsOnTrained = usesTrained;
    if (Operation *op = value.getDefiningOp())
      dependsOnTrained |= llvm::any_of(op->getOperands(), [&](Value v) { return importer.trained.contains(v); });
    if (dependsOnTrained)
      importer.trained.insert(value);
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
  // Input `index`: an activation, or a weight of this kind.
  Value take(unsigned index, StringRef kind) {
    const std::string &name = node.input(index);
    if (name.empty())
      unsupported("input " + std::to_string(index) + " is missing");
    if (importer.losses && name == importer.lossName)
      unsupported("nothing may come behind the loss '" + name + "'");
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

std::optional<std::vector<int64_t>> GraphImporter::shapeOf(const std::string &name) const {
  auto value = values.find(name);
  if (value == values.end())
    return std::nullopt;
  std::vector<int64_t> shape;
  for (int64_t extent : cast<RankedTensorType>(value->second.getType()).getShape())
    shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  return shape;
}

party::ParameterOp GraphImporter::makeWeight(const std::string &name, StringRef kind, ArrayRef<int64_t> shape) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  return builder.create<party::ParameterOp>(NameLoc::get(builder.getStringAttr(name)),
                                            floatTensor(builder.getContext(), shape), name, kind, shape,
                                            DenseI64ArrayAttr(), DenseI64ArrayAttr(), IntegerAttr());
}

Value GraphImporter::constant(const std::string &name, ArrayRef<int64_t> shape, const std::vector<float> &values) {
  if (weights.count(name) || graph.initializers.count(name))
    throw Unsupported{"there are two nodes of this name"};
  result.weights[name] = values;
  return (weights[name] = makeWeight(name, kConstantKind, shape)).getResult();
}

// The weight behind a known float value. What was computed from nothing trained is a constant of the value's own name.
Value GraphImporter::weight(const std::string &name, StringRef kind, Location location) {
  const SymbolicValue &known = *arithmetic.find(name);
  if (!isFloat(known.type))
    throw Unsupported{"input '" + name + "' holds " + typeName(known.type) + ", only float data can be trained"};
  if (known.size() == 0)
    throw Unsupported{"input '" + name + "' has no elements: its shape is " + shapeText(known.shape)};
  if (!known.trainable)
    kind = kConstantKind;
  const std::string weightName = known.trainable ? known.tensor->name : name;
  const std::vector<int64_t> &shape = known.trainable ? known.tensor->shape : known.shape;
  party::ParameterOp &op = weights[weightName];
  if (!op) {
    op = makeWeight(weightName, kind, shape);
    result.weights[weightName] = known.tensor->floats;
    if (kind == kParameterKind)
      trained.insert(op.getResult());
  }
  if (op.getKind() != kind && !(kind == kConstantKind && trainedThroughViews.contains(op.getResult())))
    throw Unsupported{"initializer '" + weightName + "' is used as a " + op.getKind().str() + " and as a " +
                      kind.str()};
  if (known.shape == shape)
    return op.getResult();
  Value reshaped =
      builder.create<party::ReshapeOp>(location, floatTensor(builder.getContext(), known.shape), op.getResult());
  if (trained.contains(op.getResult()))
    trained.insert(reshaped);
  return reshaped;
}

// The graph input that the worker fills with labels. It becomes an argument where the loss that takes it says its
// shape.
Value GraphImporter::labels(const std::string &name, ArrayRef<int64_t> shape) {
  if (losses)
    throw Unsupported{"there is a loss already, " + result.loss};
  const auto input = llvm::find_if(graph.inputs, [&](const OnnxValue &value) { return value.name == name; });
  if (input == graph.inputs.end() || (input->type != OnnxType::int32 && input->type != OnnxType::int64))
    throw Unsupported{"its labels '" + name + "' are no input of the graph of type int32 or int64"};
  const bool fits = input->shape.size() == shape.size() && llvm::all_of(llvm::zip(input->shape, shape), [](auto pair) {
                      auto [said, needed] = pair;
                      return said == -1 || ShapedType::isDynamic(needed) || said == needed;
                    });
  if (input->hasShape && !fits) {
    std::vector<int64_t> needed(shape.begin(), shape.end());
    needed[0] = -1;
    throw Unsupported{"its labels '" + name + "' have shape " + shapeText(input->shape) + ", its scores need " +
                      shapeText(needed)};
  }
  auto type = RankedTensorType::get(shape, builder.getI32Type());
  return function.getBody().front().addArgument(type, NameLoc::get(builder.getStringAttr(name)));
}

// The float form of a known boolean value.
Value GraphImporter::flags(const std::string &name, const SymbolicValue &known) {
  if (known.size() == 0)
    throw Unsupported{"input '" + name + "' has no elements: its shape is " + shapeText(known.shape)};
  party::ParameterOp &op = weights[name];
  if (!op) {
    std::vector<float> &values = result.weights[name];
    for (int64_t flag : constantIntegers(known))
      values.push_back(flag != 0 ? 1 : 0);
    op = makeWeight(name, kConstantKind, known.shape);
  }
  return op.getResult();
}

// An initializer may reach a parameter slot through transpositions and reshapes: PyTorch writes the weight of a Linear
// without bias so. It is trained then, as it would be without them.
void GraphImporter::train(Value value) {
  SmallVector<Value> path = {value};
  while (path.back().getDefiningOp<party::TransposeOp>() || path.back().getDefiningOp<party::ReshapeOp>())
    path.push_back(path.back().getDefiningOp()->getOperand(0));
  auto weight = path.back().getDefiningOp<party::ParameterOp>();
  if (!weight || weight.getKind() == kStateKind || path.size() == 1)
    return;
  weight.setKind(kParameterKind);
  trained.insert(path.begin(), path.end());
  trainedThroughViews.insert(weight.getResult());
}

// What the ops themselves say against the nodes, where the import functions saw nothing wrong.
void GraphImporter::verifyModule() {
  std::string faults;
  ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diagnostic) {
    if (auto node = dyn_cast<NameLoc>(diagnostic.getLocation());
        node && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      faults += "\n  node '" + node.getName().str() + "': " + diagnostic.str();
    return success();
  });
  if (failed(verify(*result.module)))
    throw cannotError(graph.path + ": the model cannot be trained:" + faults);
}

void GraphImporter::refuse(const OnnxNode &node, const std::string &why) {
  messages.push_back("  " + node.describe() + ": " + why);
  refused.insert(node.outputs.begin(), node.outputs.end());
}

// The graph input that a loss takes for labels; empty where there is none.
static std::string labelsOf(const OnnxGraph &graph) {
  for (const OnnxNode &node : graph.nodes)
    if (node.domain.empty() && (node.opType == "SoftmaxCrossEntropyLoss" || node.opType == "NegativeLogLikelihoodLoss"))
      return node.input(1);
  return "";
}

void GraphImporter::makeFunction() {
  labelsName = labelsOf(graph);
  std::vector<OnnxValue> data;
  llvm::copy_if(graph.inputs, std::back_inserter(data),
                [&](const OnnxValue &value) { return value.name != labelsName; });
  if (data.size() != 1 || (labelsName.empty() && graph.outputs.size() != 1))
    throw cannotError(graph.path + ": the model has " + std::to_string(graph.inputs.size()) + " inputs and " +
                      std::to_string(graph.outputs.size()) + " outputs; it must have one of each to be trained" +
                      " (besides the labels and the loss, where it has them)");
  const OnnxValue &input = data.front();
  if (input.type != OnnxType::float32 || !input.hasShape || input.shape.size() < 2)
    throw cannotError(graph.path + ": input '" + input.name + "' must be float data [batch, ...] with a known shape");
  SmallVector<int64_t> shape(input.shape.begin(), input.shape.end());
  shape[0] = kBatch;
  for (size_t i = 1; i < shape.size(); ++i)
    if (shape[i] < 1)
      throw cannotError(graph.path + ": dimension " + std::to_string(i) + " of input '" + input.name +
                        "' is not fixed; export the model with only the batch dynamic");
  if (!isOfUsualSize(shape))
    throw cannotError(graph.path + ": input '" + input.name + "' is too large: " + shapeText(input.shape));
  result.inputName = input.name;

  Location location = NameLoc::get(builder.getStringAttr(graph.name.empty() ? "model" : graph.name));
  result.module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(result.module->getBody());
  auto inputType = floatTensor(builder.getContext(), shape);
  auto idsType = RankedTensorType::get({kBatch}, builder.getI32Type());
  function = builder.create<func::FuncOp>(location, kModelFunction,
                                          builder.getFunctionType({inputType, idsType}, TypeRange{}));
  Block *block = function.addEntryBlock();
  values[input.name] = block->getArgument(0);
  sampleIds = block->getArgument(1);
  builder.setInsertionPointToEnd(block);
}

void GraphImporter::importNode(const OnnxNode &node) {
  if (llvm::any_of(node.inputs, [&](const std::string &name) { return refused.count(name); })) {
    refused.insert(node.outputs.begin(), node.outputs.end());
    if (node.domain.empty() && findOnnxImport(node.opType))
      return;
  }
  if (!node.domain.empty())
    return refuse(node, "operators of domain '" + node.domain + "' are unknown");
  try {
    if (node.opType == "If")
      return importBranch(node);
    if (arithmetic.canFold(node))
      return arithmetic.fold(node);
    const OnnxImport *import = findOnnxImport(node.opType);
    if (!import)
      return refuse(node, "this operator cannot be trained (`partyline ops` lists those that can)");
    if (graph.opset < import->sinceVersions.front())
      return refuse(node, "this form of the operator, before opset " + std::to_string(import->sinceVersions.front()) +
                              ", is not supported");
    NodeImporter importer(*this, node);
    import->import(importer);
    result.batchNorms += node.opType == "BatchNormalization";
    result.convolutions += node.opType == "Conv";
    result.biasedConvolutions += node.opType == "Conv" && !node.input(2).empty();
  } catch (const Unsupported &reason) {
    refuse(node, reason.why);
  } catch (const Error &error) {
    // Those who found the fault need not know the file or the node.
    std::string message = error.what(), file = graph.path + ": ";
    if (message.starts_with(file))
      message.erase(0, file.size());
    if (!message.starts_with(node.describe()))
      message = node.describe() + ": " + message;
    throw Error(error.exitCode, file + message);
  }
}

// An If whose condition is known is its branch: exporters ask so whether a shape has a dimension of extent 1.
void GraphImporter::importBranch(const OnnxNode &node) {
  const SymbolicValue *condition = arithmetic.find(node.input(0));
  if (!condition || !isInteger(condition->type) || condition->size() != 1 || !condition->elements[0].isConstant())
    return refuse(node, "its condition is not constant");
  const OnnxSubgraph &branch = node.subgraph(condition->elements[0].constant ? "then_branch" : "else_branch");
  if (branch.outputs.size() != node.outputs.size())
    throw inputError(node.describe() + ": its branch has " + std::to_string(branch.outputs.size()) +
                     " outputs, it has " + std::to_string(node.outputs.size()));
  for (const OnnxNode &inner : branch.nodes)
    importNode(inner);
  for (size_t i = 0; i < branch.outputs.size(); ++i) {
    OnnxNode result;
    result.name = node.name;
    result.opType = "Identity";
    result.inputs = {branch.outputs[i]};
    result.outputs = {node.outputs[i]};
    importNode(result);
  }
}

// What a value is the logarithm or the distribution of.
static Value scoresBehind(Value value) {
  while (isa_and_nonnull<party::SoftmaxOp, party::LogSoftmaxOp, party::TransposeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

// What the model says of a sample: the graph's output; beside a loss, what that is of, as an output says it or itself.
Value GraphImporter::output() {
  Value value = scores;
  result.outputName = losses ? scoresName : graph.outputs.front().name;
  for (const OnnxValue &candidate : graph.outputs) {
    auto known = values.find(candidate.name);
    if (known == values.end() || (losses && (known->second.getType() != scores.getType() ||
                                             scoresBehind(known->second) != scoresBehind(scores))))
      continue;
    value = known->second;
    result.outputName = candidate.name;
    break;
  }
  if (!value || !trained.contains(losses ? scores : value))
    throw cannotError(graph.path + ": output '" + (losses ? lossName : result.outputName) +
                      "' does not depend on any parameter");
  return value;
}

ImportedModel GraphImporter::run() {
  result.producer = graph.producer;
  makeFunction();
  for (const OnnxNode &node : graph.nodes)
    importNode(node);
  if (!messages.empty()) {
    std::string all = graph.path + ": " + std::to_string(messages.size()) +
                      (messages.size() == 1 ? " node cannot be trained:" : " nodes cannot be trained:");
    for (const std::string &message : messages)
      all += "\n" + message;
    throw cannotError(all);
  }
  SmallVector<Value> results = {output()};
  if (losses)
    results.insert(results.begin(), losses);
  builder.create<func::ReturnOp>(builder.getUnknownLoc(), results);
  function.setType(builder.getFunctionType(function.getBody().getArgumentTypes(), ValueRange(results).getTypes()));
  verifyModule();
  for (auto &[name, op] : weights)
    if (op.getKind() == kConstantKind)
      result.constants.push_back(name);
  return std::move(result);
}

ImportedModel importModel(const OnnxGraph &graph, MLIRContext &context) { return GraphImporter(graph, context).run(); }

} // namespace partyline
