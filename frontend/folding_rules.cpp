//===- frontend/folding_rules.cpp - operators that move elements ----------===//
//
// Operators whose output elements are input elements: each computes where its elements come from and takes them.
//
//===----------------------------------------------------------------------===//

#include "frontend/folding_rules.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace partyline {

using Shape = std::vector<int64_t>;

const SymbolicValue &FoldingInput::operand(size_t index) const {
  if (!has(index))
    throw inputError("input " + std::to_string(index + 1) + " is missing");
  return *operands[index];
}

std::optional<Shape> FoldingInput::list(size_t index, const std::string &attribute) const {
  if (has(index))
    return constantIntegers(operand(index));
  if (node.has(attribute))
    return node.integers(attribute, {});
  return std::nullopt;
}

/// The same elements in another shape.
static SymbolicValue reshaped(const SymbolicValue &value, Shape shape) {
  if (elementCount(shape, "a constant") != value.size())
    throw inputError("a tensor of shape " + shapeText(value.shape) + " cannot become " + shapeText(shape));
  SymbolicValue result = value;
  result.shape = std::move(shape);
  return result;
}

static SymbolicValue foldReshape(const FoldingInput &input) {
  const SymbolicValue &value = input.operand(0);
  Shape target = constantIntegers(input.operand(1));
  const bool zeroIsZero = input.node.integer("allowzero", 0) != 0;
  int64_t known = 1;
  std::optional<size_t> open;
  for (size_t i = 0; i < target.size(); ++i) {
    if (target[i] == 0 && !zeroIsZero) {
      if (i >= value.shape.size())
        throw inputError("its target shape copies an extent that the input does not have");
      target[i] = value.shape[i];
    }
    if (target[i] == -1) {
      if (open)
        throw inputError("its target shape has two extents of -1");
      open = i;
    } else {
      known = multiply({0, known}, {0, target[i]}).constant;
    }
  }
  if (open)
    target[*open] = known == 0 ? 0 : value.size() / known;
  return reshaped(value, std::move(target));
}

static SymbolicValue foldSqueeze(const FoldingInput &input) {
  const SymbolicValue &value = input.operand(0);
  std::vector<bool> drop(value.shape.size(), false);
  if (auto axes = input.list(1, "axes"))
    for (int64_t axis : *axes)
      drop[checkedAxis(axis, value.shape.size())] = true;
  else
    for (size_t i = 0; i < drop.size(); ++i)
      drop[i] = value.shape[i] == 1;
  Shape shape;
  for (size_t i = 0; i < drop.size(); ++i)
    if (!drop[i])
      shape.push_back(value.shape[i]);
    else if (value.shape[i] != 1)
      throw inputError("axis " + std::to_string(i) + " of shape " + shapeText(value.shape) + " is not 1");
  return reshaped(value, std::move(shape));
}

static SymbolicValue foldUnsqueeze(const FoldingInput &input) {
  const SymbolicValue &value = input.operand(0);
  auto axes = input.list(1, "axes");
  if (!axes)
    throw inputError("it has no axes");
  const size_t rank = value.shape.size() + axes->size();
  std::vector<bool> added(rank, false);
  for (int64_t axis : *axes) {
    axis = checkedAxis(axis, rank);
    if (added[axis])
      throw inputError("axis " + std::to_string(axis) + " is given twice");
    added[axis] = true;
  }
  Shape shape(rank, 1);
  for (size_t i = 0, next = 0; i < rank; ++i)
    if (!added[i])
      shape[i] = value.shape[next++];
  return reshaped(value, std::move(shape));
}

static SymbolicValue foldExpand(const FoldingInput &input) {
  const SymbolicValue &value = input.operand(0);
  Shape shape = broadcastShape(value.shape, constantIntegers(input.operand(1)));
  if (shape == value.shape)
    return value;
  return takeElements(value, shape, broadcastSources(value.shape, shape));
}

static SymbolicValue foldTranspose(const FoldingInput &input) {
  const SymbolicValue &value = input.operand(0);
  const size_t rank = value.shape.size();
  Shape reversed(rank), shape(rank), strides(rank, 1);
  for (size_t i = 0; i < rank; ++i)
    reversed[i] = static_cast<int64_t>(rank - 1 - i);
  Shape permutation = input.node.integers("perm", reversed), sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  std::reverse(sorted.begin(), sorted.end());
  if (sorted != reversed)
    throw inputError("its attribute 'perm' is no permutation of the input's axes");
  for (size_t i = rank; i-- > 1;)
    strides[i - 1] = strides[i] * value.shape[i];
  for (size_t i = 0; i < rank; ++i)
    shape[i] = value.shape[permutation[i]];
  Shape sources(value.size());
  for (int64_t element = 0; element < value.size(); ++element) {
    int64_t rest = element;
    for (size_t axis = rank; axis-- > 0; rest /= shape[axis])
      sources[element] += rest % shape[axis] * strides[permutation[axis]];
  }
  return takeElements(value, std::move(shape), sources);
}

/// Elements of `value` where axis `axis` runs through `indices`.
static SymbolicValue takeAlong(const SymbolicValue &value, int64_t axis, const Shape &indices, Shape shape) {
  int64_t outer = 1, inner = 1;
  for (size_t i = 0; i < value.shape.size(); ++i)
    (static_cast<int64_t>(i) < axis ? outer : inner) *= static_cast<int64_t>(i) == axis ? 1 : value.shape[i];
  Shape sources;
  sources.reserve(checkedSize(shape));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t index : indices)
      for (int64_t i = 0; i < inner; ++i)
        sources.push_back((o * value.shape[axis] + index) * inner + i);
  return takeElements(value, std::move(shape), sources);
}

static SymbolicValue foldGather(const FoldingInput &input) {
  const SymbolicValue &value = input.operand(0), &index = input.operand(1);
  const int64_t axis = checkedAxis(input.node.integer("axis", 0), value.shape.size());
  const int64_t extent = value.shape[axis];
  Shape indices = constantIntegers(index);
  for (int64_t &entry : indices) {
    if (entry < -extent || entry >= extent)
      throw inputError("index " + std::to_string(entry) + " is outside shape " + shapeText(value.shape));
    entry += entry < 0 ? extent : 0;
  }
  Shape shape(value.shape.begin(), value.shape.begin() + axis);
  shape.insert(shape.end(), index.shape.begin(), index.shape.end());
  shape.insert(shape.end(), value.shape.begin() + axis + 1, value.shape.end());
  return takeAlong(value, axis, indices, std::move(shape));
}

static SymbolicValue foldSlice(const FoldingInput &input) {
  SymbolicValue value = input.operand(0);
  auto starts = input.list(1, "starts"), ends = input.list(2, "ends"), axes = input.list(3, "axes");
  Shape steps = input.has(4) ? constantIntegers(input.operand(4)) : Shape(starts ? starts->size() : 0, 1);
  if (!starts || !ends)
    throw inputError("it has no starts or no ends");
  if (!axes) {
    axes = Shape(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (ends->size() != starts->size() || axes->size() != starts->size() || steps.size() != starts->size())
    throw inputError("its starts, ends, axes and steps differ in number");
  for (size_t i = 0; i < starts->size(); ++i) {
    const int64_t axis = checkedAxis((*axes)[i], value.shape.size()), extent = value.shape[axis], step = steps[i];
    if (step == 0 || step == std::numeric_limits<int64_t>::min())
      throw inputError("its step is " + std::to_string(step));
    // Python's rules: negative bounds count from the end, then all are clamped; backwards may end before element 0.
    auto bound = [&](int64_t value) {
      value += value < 0 ? extent : 0;
      return step > 0 ? std::clamp<int64_t>(value, 0, extent) : std::clamp<int64_t>(value, -1, extent - 1);
    };
    Shape indices;
    const int64_t first = bound((*starts)[i]), end = bound((*ends)[i]);
    const int64_t distance = step > 0 ? end - first : first - end, stride = step > 0 ? step : -step;
    for (int64_t passed = 0; passed < distance; passed += std::min(stride, distance))
      indices.push_back(step > 0 ? first + passed : first - passed);
    Shape shape = value.shape;
    shape[axis] = static_cast<int64_t>(indices.size());
    value = takeAlong(value, axis, indices, std::move(shape));
  }
  return value;
}

static SymbolicValue foldConcat(const FoldingInput &input) {
  const SymbolicValue &first = input.operand(0);
  if (!input.node.has("axis"))
    throw inputError("it has no attribute 'axis'");
  const int64_t axis = checkedAxis(input.node.integer("axis", 0), first.shape.size());
  Shape shape = first.shape;
  shape[axis] = 0;
  for (size_t i = 0; i < input.operands.size(); ++i) {
    const SymbolicValue &value = input.operand(i);
    Shape rest = value.shape;
    if (isFloat(value.type) != isFloat(first.type) || rest.size() != shape.size())
      throw inputError("its inputs differ in type or number of dimensions");
    rest[axis] = shape[axis];
    if (rest != shape)
      throw inputError("shapes " + shapeText(first.shape) + " and " + shapeText(value.shape) + " do not fit together");
    shape[axis] += value.shape[axis];
  }
  checkedSize(shape);
  int64_t outer = 1;
  for (int64_t i = 0; i < axis; ++i)
    outer *= shape[i];
  std::vector<SymbolicInteger> elements;
  std::vector<float> floats;
  for (int64_t o = 0; o < outer; ++o)
    for (const SymbolicValue *value : input.operands) {
      const int64_t chunk = value->size() / outer;
      if (isFloat(first.type))
        floats.insert(floats.end(), value->tensor->floats.begin() + o * chunk,
                      value->tensor->floats.begin() + (o + 1) * chunk);
      else
        elements.insert(elements.end(), value->elements.begin() + o * chunk, value->elements.begin() + (o + 1) * chunk);
    }
  if (isFloat(first.type))
    return floatValue(std::move(shape), std::move(floats), first.type);
  return integerValue(std::move(shape), std::move(elements), first.type);
}

static const std::map<std::string, FoldingRule> &foldingRules() {
  static const std::map<std::string, FoldingRule> rules = [] {
    std::map<std::string, FoldingRule> all = elementwiseFoldingRules();
    all.insert(constantFoldingRules().begin(), constantFoldingRules().end());
    all.insert({
        {"Concat", {foldConcat}},
        {"Expand", {foldExpand, true}},
        {"Gather", {foldGather}},
        {"Reshape", {foldReshape, true}},
        {"Slice", {foldSlice}},
        {"Squeeze", {foldSqueeze, true}},
        {"Transpose", {foldTranspose}},
        {"Unsqueeze", {foldUnsqueeze, true}},
    });
    return all;
  }();
  return rules;
}

const FoldingRule *findFoldingRule(const std::string &opType) {
  auto found = foldingRules().find(opType);
  return found == foldingRules().end() ? nullptr : &found->second;
}

std::vector<std::string> foldedOperators() {
  std::vector<std::string> names = {"Shape", "Size"};
  for (const auto &[name, rule] : foldingRules())
    names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace partyline
