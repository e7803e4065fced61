//===- frontend/folding_constants.cpp - constants and casts ---------------===//

#include "frontend/folding_rules.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <cmath>

namespace partyline {

using Shape = std::vector<int64_t>;

static SymbolicValue foldConstant(const FoldingInput &input) {
  const OnnxNode &node = input.node;
  if (auto found = node.attributes.find("value"); found != node.attributes.end())
    if (const auto *tensor = std::get_if<OnnxTensor>(&found->second)) {
      OnnxTensor copy = *tensor;
      copy.name.clear();
      return valueOf(std::move(copy));
    }
  if (node.has("value_int"))
    return integerValue({}, {{0, node.integer("value_int", 0)}});
  if (node.has("value_ints")) {
    std::vector<SymbolicInteger> elements;
    for (int64_t value : node.integers("value_ints", {}))
      elements.push_back({0, value});
    Shape shape = {static_cast<int64_t>(elements.size())};
    return integerValue(std::move(shape), std::move(elements));
  }
  if (node.has("value_float"))
    return floatValue({}, {node.real("value_float", 0)});
  if (auto found = node.attributes.find("value_floats"); found != node.attributes.end())
    if (const auto *floats = std::get_if<std::vector<float>>(&found->second))
      return floatValue({static_cast<int64_t>(floats->size())}, *floats);
  throw cannotError("a constant of this kind is not supported (only tensors, floats and integers)");
}

static SymbolicValue foldConstantOfShape(const FoldingInput &input) {
  SymbolicValue element = floatValue({}, {0});
  if (auto found = input.node.attributes.find("value"); found != input.node.attributes.end())
    if (const auto *tensor = std::get_if<OnnxTensor>(&found->second))
      element = valueOf(*tensor);
  if (element.size() != 1)
    throw inputError("its attribute 'value' must have one element");
  Shape shape = constantIntegers(input.operand(0));
  return takeElements(element, shape, Shape(checkedSize(shape), 0));
}

/// ONNX's Range counts max(0, ceil((limit - start) / delta)) elements.
static SymbolicValue foldRange(const FoldingInput &input) {
  const SymbolicValue &start = input.operand(0), &limit = input.operand(1), &delta = input.operand(2);
  if (start.size() != 1 || limit.size() != 1 || delta.size() != 1)
    throw inputError("its inputs must be scalars");
  auto number = [](const SymbolicValue &value) {
    return isFloat(value.type) ? double(value.tensor->floats[0]) : double(constantIntegers(value)[0]);
  };
  if (number(delta) == 0)
    throw inputError("its step is 0");
  const double count = std::max(0.0, std::ceil((number(limit) - number(start)) / number(delta)));
  constexpr double most = 1 << 24;
  if (!(count <= most))
    throw inputError("its bounds and step give no usable number of elements");
  auto elements = static_cast<int64_t>(count);
  if (isFloat(start.type)) {
    std::vector<float> floats(elements);
    for (int64_t i = 0; i < elements; ++i)
      floats[i] = static_cast<float>(number(start) + static_cast<double>(i) * number(delta));
    return floatValue({elements}, std::move(floats), start.type);
  }
  std::vector<SymbolicInteger> integers(elements);
  for (int64_t i = 0; i < elements; ++i)
    integers[i] = add(start.elements[0], multiply(delta.elements[0], {0, i}));
  return integerValue({elements}, std::move(integers), start.type);
}

static SymbolicValue cast(const SymbolicValue &value, OnnxType to) {
  if (!isFloat(to) && !isInteger(to))
    throw cannotError("a cast to " + typeName(to) + " is not supported");
  SymbolicValue result = value;
  if (isFloat(value.type) && isFloat(to)) { // all of them are computed as float: the same data
    result.type = to;
    return result;
  }
  if (isFloat(to)) {
    std::vector<float> floats;
    for (int64_t element : constantIntegers(value))
      floats.push_back(static_cast<float>(element));
    return floatValue(value.shape, std::move(floats), to);
  }
  result = integerValue(value.shape, value.elements, to);
  if (isFloat(value.type))
    for (float element : value.tensor->floats) {
      if (to != OnnxType::boolean && !(std::fabs(element) < 0x1p63f))
        throw inputError("the float " + std::to_string(element) + " is no integer");
      result.elements.push_back({0, to == OnnxType::boolean ? element != 0 : static_cast<int64_t>(element)});
    }
  else if (to == OnnxType::boolean)
    for (SymbolicInteger &element : result.elements)
      element = {0, !isEqual(element, {})};
  return result;
}

static SymbolicValue foldCast(const FoldingInput &input) {
  if (!input.node.has("to"))
    throw inputError("it has no attribute 'to'");
  return cast(input.operand(0), static_cast<OnnxType>(input.node.integer("to", 0)));
}

/// The second input may be an activation, which is always float.
static SymbolicValue foldCastLike(const FoldingInput &input) {
  return cast(input.operand(0), input.has(1) ? input.operand(1).type : OnnxType::float32);
}

static SymbolicValue foldIdentity(const FoldingInput &input) {
  const SymbolicValue &value = input.operand(0);
  if (!value.trainable)
    return value;
  OnnxTensor copy = *value.tensor;
  copy.name.clear();
  copy.shape = value.shape;
  SymbolicValue result = valueOf(std::move(copy));
  result.trainable = true;
  return result;
}

const std::map<std::string, FoldingRule> &constantFoldingRules() {
  static const std::map<std::string, FoldingRule> rules = {
      {"Cast", {foldCast, true}},         {"CastLike", {foldCastLike, true, true}},
      {"Constant", {foldConstant}},       {"ConstantOfShape", {foldConstantOfShape}},
      {"Identity", {foldIdentity, true}}, {"Range", {foldRange}},
  };
  return rules;
}

} // namespace partyline
