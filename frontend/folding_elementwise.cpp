//===- frontend/folding_elementwise.cpp - arithmetic and reductions -------===//

#include "frontend/folding_rules.h"

#include "runtime/shared/error.h"

#include <cmath>

namespace partyline {

namespace {

/// An operator on two elements; null where it has no integer or no float form.
struct Binary {
  SymbolicInteger (*onIntegers)(SymbolicInteger, SymbolicInteger);
  float (*onFloats)(float, float);
  bool yieldsBoolean = false;
};

struct Unary {
  SymbolicInteger (*onIntegers)(SymbolicInteger);
  float (*onFloats)(float);
};

using Integer = SymbolicInteger;
Integer boolean(bool value) { return {0, value}; }

const std::map<std::string, Binary> binaries = {
    {"Add", {add, [](float a, float b) { return a + b; }}},
    {"Sub", {subtract, [](float a, float b) { return a - b; }}},
    {"Mul", {multiply, [](float a, float b) { return a * b; }}},
    {"Div", {divide, [](float a, float b) { return a / b; }}},
    {"Mod", {modulo, nullptr}},
    {"Pow", {nullptr, [](float a, float b) { return std::pow(a, b); }}},
    {"Min", {minimum, [](float a, float b) { return std::fmin(a, b); }}},
    {"Max", {maximum, [](float a, float b) { return std::fmax(a, b); }}},
    {"Equal",
     {[](Integer a, Integer b) { return boolean(isEqual(a, b)); }, [](float a, float b) { return float(a == b); },
      true}},
    {"Less",
     {[](Integer a, Integer b) { return boolean(isLess(a, b)); }, [](float a, float b) { return float(a < b); }, true}},
    {"Greater",
     {[](Integer a, Integer b) { return boolean(isLess(b, a)); }, [](float a, float b) { return float(a > b); }, true}},
    {"LessOrEqual",
     {[](Integer a, Integer b) { return boolean(!isLess(b, a)); }, [](float a, float b) { return float(a <= b); },
      true}},
    {"GreaterOrEqual",
     {[](Integer a, Integer b) { return boolean(!isLess(a, b)); }, [](float a, float b) { return float(a >= b); },
      true}},
    {"And", {[](Integer a, Integer b) { return boolean(a != Integer{} && b != Integer{}); }, nullptr, true}},
    {"Or", {[](Integer a, Integer b) { return boolean(a != Integer{} || b != Integer{}); }, nullptr, true}},
};

const std::map<std::string, Unary> unaries = {
    {"Neg", {[](Integer a) { return subtract({}, a); }, [](float a) { return -a; }}},
    {"Abs", {[](Integer a) { return maximum(a, subtract({}, a)); }, [](float a) { return std::fabs(a); }}},
    {"Not", {[](Integer a) { return boolean(a == Integer{}); }, nullptr}},
    {"Floor", {nullptr, [](float a) { return std::floor(a); }}},
    {"Ceil", {nullptr, [](float a) { return std::ceil(a); }}},
    {"Round", {nullptr, [](float a) { return std::nearbyint(a); }}},
    {"Sqrt", {nullptr, [](float a) { return std::sqrt(a); }}},
    {"Reciprocal", {nullptr, [](float a) { return 1 / a; }}},
};

/// A reduction combines the elements by a binary operator, from the first one on.
const std::map<std::string, std::string> reductions = {
    {"ReduceProd", "Mul"}, {"ReduceSum", "Add"}, {"ReduceMax", "Max"}, {"ReduceMin", "Min"}};

Error noSuchForm(OnnxType type) { return inputError("it has no form for " + typeName(type)); }

SymbolicValue combine(const SymbolicValue &a, const SymbolicValue &b, const Binary &binary) {
  if (isFloat(a.type) != isFloat(b.type))
    throw inputError("its inputs differ in type");
  std::vector<int64_t> shape = broadcastShape(a.shape, b.shape);
  std::vector<int64_t> sourcesA = broadcastSources(a.shape, shape), sourcesB = broadcastSources(b.shape, shape);
  if (!isFloat(a.type)) {
    if (!binary.onIntegers)
      throw noSuchForm(a.type);
    std::vector<SymbolicInteger> elements;
    for (size_t i = 0; i < sourcesA.size(); ++i)
      elements.push_back(binary.onIntegers(a.elements[sourcesA[i]], b.elements[sourcesB[i]]));
    return integerValue(std::move(shape), std::move(elements), binary.yieldsBoolean ? OnnxType::boolean : a.type);
  }
  if (!binary.onFloats)
    throw noSuchForm(a.type);
  std::vector<float> floats;
  for (size_t i = 0; i < sourcesA.size(); ++i)
    floats.push_back(binary.onFloats(a.tensor->floats[sourcesA[i]], b.tensor->floats[sourcesB[i]]));
  if (!binary.yieldsBoolean)
    return floatValue(std::move(shape), std::move(floats), a.type);
  std::vector<SymbolicInteger> elements;
  for (float value : floats)
    elements.push_back(boolean(value != 0));
  return integerValue(std::move(shape), std::move(elements), OnnxType::boolean);
}

SymbolicValue foldBinary(const FoldingInput &input) {
  const Binary &binary = binaries.at(input.node.opType);
  SymbolicValue result = input.operand(0);
  for (size_t i = 1; i < input.operands.size(); ++i) // Min and Max take any number
    result = combine(result, input.operand(i), binary);
  return result;
}

SymbolicValue foldUnary(const FoldingInput &input) {
  const Unary &unary = unaries.at(input.node.opType);
  const SymbolicValue &value = input.operand(0);
  if (isFloat(value.type) ? !unary.onFloats : !unary.onIntegers)
    throw noSuchForm(value.type);
  if (isFloat(value.type)) {
    std::vector<float> floats = value.tensor->floats;
    for (float &element : floats)
      element = unary.onFloats(element);
    return floatValue(value.shape, std::move(floats), value.type);
  }
  SymbolicValue result = value;
  for (SymbolicInteger &element : result.elements)
    element = unary.onIntegers(element);
  return result;
}

SymbolicValue foldWhere(const FoldingInput &input) {
  const SymbolicValue &condition = input.operand(0), &yes = input.operand(1), &no = input.operand(2);
  if (isFloat(yes.type) != isFloat(no.type))
    throw inputError("its inputs differ in type");
  std::vector<int64_t> shape = broadcastShape(condition.shape, broadcastShape(yes.shape, no.shape));
  std::vector<int64_t> flags = constantIntegers(condition), from = broadcastSources(condition.shape, shape);
  SymbolicValue chosen = takeElements(yes, shape, broadcastSources(yes.shape, shape));
  const SymbolicValue other = takeElements(no, shape, broadcastSources(no.shape, shape));
  std::vector<float> floats = isFloat(yes.type) ? chosen.tensor->floats : std::vector<float>();
  for (size_t i = 0; i < from.size(); ++i) {
    if (flags[from[i]])
      continue;
    if (isFloat(yes.type))
      floats[i] = other.tensor->floats[i];
    else
      chosen.elements[i] = other.elements[i];
  }
  return isFloat(yes.type) ? floatValue(std::move(shape), std::move(floats), yes.type) : chosen;
}

SymbolicValue foldReduction(const FoldingInput &input) {
  const SymbolicValue &value = input.operand(0);
  const size_t rank = value.shape.size();
  const Binary &binary = binaries.at(reductions.at(input.node.opType));
  std::vector<int64_t> axes = input.list(1, "axes").value_or(std::vector<int64_t>());
  if (axes.empty() && input.node.integer("noop_with_empty_axes", 0))
    return value;
  std::vector<bool> reduced(rank, axes.empty());
  for (int64_t axis : axes)
    reduced[checkedAxis(axis, rank)] = true;
  // Reduce one axis at a time: each slice of the value along it is combined with those before.
  SymbolicValue result = value;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (!reduced[axis])
      continue;
    int64_t inner = 1, extent = value.shape[axis];
    for (size_t i = axis + 1; i < rank; ++i)
      inner *= value.shape[i];
    if (extent == 0)
      throw cannotError("it reduces a tensor without elements");
    std::vector<int64_t> shape = result.shape;
    shape[axis] = 1;
    const int64_t kept = elementCount(shape, "a constant");
    auto slice = [&](int64_t index) {
      std::vector<int64_t> sources;
      for (int64_t i = 0; i < kept; ++i)
        sources.push_back((i / inner * extent + index) * inner + i % inner);
      return takeElements(result, shape, sources);
    };
    SymbolicValue sum = slice(0);
    for (int64_t index = 1; index < extent; ++index)
      sum = combine(sum, slice(index), binary);
    result = std::move(sum);
  }
  if (input.node.integer("keepdims", 1))
    return result;
  std::vector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i)
    if (!reduced[i])
      shape.push_back(result.shape[i]);
  result.shape = std::move(shape);
  return result;
}

} // namespace

const std::map<std::string, FoldingRule> &elementwiseFoldingRules() {
  static const std::map<std::string, FoldingRule> rules = [] {
    std::map<std::string, FoldingRule> all = {{"Where", {foldWhere}}};
    for (const auto &[name, binary] : binaries)
      all[name] = {foldBinary};
    for (const auto &[name, unary] : unaries)
      all[name] = {foldUnary};
    for (const auto &[name, binary] : reductions)
      all[name] = {foldReduction};
    return all;
  }();
  return rules;
}

} // namespace partyline
