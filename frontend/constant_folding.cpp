//===- frontend/constant_folding.cpp - when to fold -----------------------===//

#include "frontend/constant_folding.h"

#include "frontend/folding_rules.h"
#include "runtime/shared/error.h"

#include <algorithm>

namespace partyline {

ShapeArithmetic::ShapeArithmetic(const OnnxGraph &graph, ShapeOf shapeOf)
    : graph(graph), shapeOf(std::move(shapeOf)), mayMake(int64_t(1) << 26) {
  for (const auto &[name, tensor] : graph.initializers)
    mayMake += static_cast<int64_t>(tensor.floats.size()); // Identities of initializers are copies
}

static bool isShapeOrSize(const OnnxNode &node) { return node.opType == "Shape" || node.opType == "Size"; }

static SymbolicInteger extentOf(int64_t extent) {
  return extent == -1 ? SymbolicInteger{1, 0} : SymbolicInteger{0, extent};
}

static SymbolicValue foldShape(const OnnxNode &node, const std::vector<int64_t> &shape) {
  auto rank = static_cast<int64_t>(shape.size());
  auto bound = [&](const char *attribute, int64_t otherwise) {
    int64_t value = node.integer(attribute, otherwise);
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  std::vector<SymbolicInteger> extents;
  for (int64_t axis = bound("start", 0), end = bound("end", rank); axis < end; ++axis)
    extents.push_back(extentOf(shape[axis]));
  std::vector<int64_t> resultShape = {static_cast<int64_t>(extents.size())};
  return integerValue(std::move(resultShape), std::move(extents));
}

static SymbolicValue foldSize(const std::vector<int64_t> &shape) {
  SymbolicInteger size{0, 1};
  for (int64_t extent : shape)
    size = multiply(size, extentOf(extent));
  return integerValue({}, {size});
}

static bool dependsOnBatch(const SymbolicValue &value) {
  return std::any_of(value.elements.begin(), value.elements.end(),
                     [](const SymbolicInteger &element) { return !element.isConstant(); });
}

bool ShapeArithmetic::canFold(const OnnxNode &node) const {
  if (!node.domain.empty() || node.outputs.empty())
    return false;
  if (isShapeOrSize(node))
    return find(node.input(0)) || shapeOf(node.input(0));
  const FoldingRule *rule = findFoldingRule(node.opType);
  if (!rule)
    return false;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].empty() || (rule->firstOperandOnly && i > 0))
      continue;
    const SymbolicValue *value = find(node.inputs[i]);
    if (!value || (value->trainable && !rule->keepsData && value->size() > 1))
      return false;
  }
  // Tensors as large as the batch are no constants.
  if (node.opType == "ConstantOfShape" || node.opType == "Expand" || node.opType == "Range")
    for (size_t i = node.opType == "Expand" ? 1 : 0; i < node.inputs.size(); ++i)
      if (const SymbolicValue *value = find(node.inputs[i]); value && dependsOnBatch(*value))
        return false;
  return true;
}

void ShapeArithmetic::fold(const OnnxNode &node) {
  try {
    SymbolicValue result;
    if (isShapeOrSize(node)) {
      const SymbolicValue *known = find(node.input(0));
      std::vector<int64_t> shape = known ? known->shape : shapeOf(node.input(0)).value();
      result = node.opType == "Shape" ? foldShape(node, shape) : foldSize(shape);
    } else {
      FoldingInput input{node, graph.opset, {}};
      for (const std::string &name : node.inputs)
        input.operands.push_back(name.empty() ? nullptr : find(name));
      result = findFoldingRule(node.opType)->compute(input);
    }
    bool made = result.tensor && result.tensor->name.empty();
    if (made) // new data: named after the value; shared data keep their name
      std::const_pointer_cast<OnnxTensor>(result.tensor)->name = node.output(0);
    if (node.opType != "Constant" && (made || isInteger(result.type)))
      mayMake -= result.size();
    if (mayMake < 0)
      throw cannotError("the graph's constants are too large to be computed while importing");
    values[node.output(0)] = std::move(result);
  } catch (const Error &error) {
    const std::string message = error.what(), who = node.describe();
    throw Error(error.exitCode, graph.path + ": " + (message.starts_with(who) ? "" : who + ": ") + message);
  }
}

const SymbolicValue *ShapeArithmetic::find(const std::string &name) const {
  auto known = values.find(name);
  if (known != values.end())
    return &known->second;
  auto initializer = graph.initializers.find(name);
  if (initializer == graph.initializers.end())
    return nullptr;
  const OnnxTensor &tensor = initializer->second;
  if (!isFloat(tensor.type))
    return &values.emplace(name, valueOf(tensor)).first->second;
  SymbolicValue value;
  value.type = tensor.type;
  value.shape = tensor.shape;
  value.tensor = std::shared_ptr<const OnnxTensor>(std::shared_ptr<void>(), &tensor); // the graph owns it
  value.trainable = true;
  return &values.emplace(name, std::move(value)).first->second;
}

std::optional<std::vector<int64_t>> ShapeArithmetic::integers(const std::string &name) const {
  const SymbolicValue *value = find(name);
  if (!value)
    return std::nullopt;
  try {
    return constantIntegers(*value);
  } catch (const Error &error) {
    throw Error(error.exitCode, graph.path + ": value '" + name + "': " + error.what());
  }
}

} // namespace partyline
