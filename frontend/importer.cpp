//===- frontend/importer.cpp - an ONNX graph becomes party ops ------------===//
//
// Nodes are taken in order. What shape arithmetic can compute leaves no op; every other node goes to the import
// function of its operator (ir/onnx_imports.h). A node that cannot be trained is noted, what depends on it is passed
// over, and all of them are reported together.
//
//===----------------------------------------------------------------------===//
#include "frontend/graph_importer.h"

#include "runtime/shared/error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partyline {

bool isOfUsualSize(ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    if (extent != kBatch && (llvm::MulOverflow(size, extent, size) || size > int64_t(1) << 40))
      return false;
  return true;
}

std::optional<std::vector<int64_t>> GraphImporter::shapeOf(const std::string &name) const {
  auto value = values.find(name);
  if (value == values.end())
    return std::nullopt;
  std::vector<int64_t> shape;
  for (int64_t extent : cast<RankedTensorType>(value->second.getType()).getShape())
    shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  return shape;
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
    import->import(*makeNodeImporter(*this, node));
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
    else if (op.getKind() == kParameterKind && !op->use_empty() && !op->hasOneUse())
      result.shared.push_back(name);
  return std::move(result);
}

ImportedModel importModel(const OnnxGraph &graph, MLIRContext &context) { return GraphImporter(graph, context).run(); }

} // namespace partyline
