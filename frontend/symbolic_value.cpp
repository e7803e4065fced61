//===- frontend/symbolic_value.cpp - arithmetic in the batch size ---------===//

#include "frontend/symbolic_value.h"

#include "runtime/shared/error.h"

#include <algorithm>

namespace partyline {

static Error dependsOnBatch(const std::string &what) {
  return cannotError(what + " depends on the batch size in a way that is not supported");
}

static int64_t checkedAdd(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result))
    throw inputError("an integer overflows");
  return result;
}

static int64_t checkedMultiply(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    throw inputError("an integer overflows");
  return result;
}

static SymbolicInteger negate(SymbolicInteger a) {
  return {checkedMultiply(a.factor, -1), checkedMultiply(a.constant, -1)};
}

SymbolicInteger add(SymbolicInteger a, SymbolicInteger b) {
  return {checkedAdd(a.factor, b.factor), checkedAdd(a.constant, b.constant)};
}

SymbolicInteger subtract(SymbolicInteger a, SymbolicInteger b) { return add(a, negate(b)); }

SymbolicInteger multiply(SymbolicInteger a, SymbolicInteger b) {
  if (!a.isConstant() && !b.isConstant())
    throw dependsOnBatch("a product");
  int64_t scale = a.isConstant() ? a.constant : b.constant;
  SymbolicInteger value = a.isConstant() ? b : a;
  return {checkedMultiply(value.factor, scale), checkedMultiply(value.constant, scale)};
}

SymbolicInteger divide(SymbolicInteger a, SymbolicInteger b) {
  if (b == SymbolicInteger{})
    throw inputError("an integer is divided by zero");
  if (b == SymbolicInteger{0, -1})
    return negate(a); // the one quotient of int64 that can overflow
  if (a.isConstant() && b.isConstant())
    return {0, a.constant / b.constant};
  if (a == SymbolicInteger{})
    return {};
  if (b.isConstant() && a.factor % b.constant == 0 && a.constant % b.constant == 0)
    return {a.factor / b.constant, a.constant / b.constant};
  if (a.constant == 0 && b.constant == 0) // (f N) / (g N)
    return divide({0, a.factor}, {0, b.factor});
  throw dependsOnBatch("a quotient");
}

SymbolicInteger modulo(SymbolicInteger a, SymbolicInteger b) {
  if (!a.isConstant() || !b.isConstant())
    throw dependsOnBatch("a remainder");
  if (b.constant == 0)
    throw inputError("an integer is divided by zero");
  if (b.constant == -1)
    return {};
  int64_t remainder = a.constant % b.constant;
  if (remainder != 0 && (remainder < 0) != (b.constant < 0))
    remainder += b.constant;
  return {0, remainder};
}

/// For all N >= 1: the smallest is at N = 1 where the factor is not negative.
static bool isNeverNegative(SymbolicInteger a) { return a.factor >= 0 && checkedAdd(a.factor, a.constant) >= 0; }
static bool isAlwaysPositive(SymbolicInteger a) { return a.factor >= 0 && checkedAdd(a.factor, a.constant) > 0; }

SymbolicInteger minimum(SymbolicInteger a, SymbolicInteger b) {
  if (isNeverNegative(subtract(a, b)))
    return b;
  if (isNeverNegative(subtract(b, a)))
    return a;
  throw dependsOnBatch("a minimum or maximum");
}

SymbolicInteger maximum(SymbolicInteger a, SymbolicInteger b) { return minimum(a, b) == a ? b : a; }

bool isLess(SymbolicInteger a, SymbolicInteger b) {
  if (a.isConstant() && b.isConstant())
    return a.constant < b.constant;
  if (isAlwaysPositive(subtract(b, a)))
    return true;
  if (isNeverNegative(subtract(a, b)))
    return false;
  throw dependsOnBatch("a comparison");
}

bool isEqual(SymbolicInteger a, SymbolicInteger b) {
  if (a == b)
    return true;
  if (a.factor == b.factor || isAlwaysPositive(subtract(a, b)) || isAlwaysPositive(subtract(b, a)))
    return false;
  throw dependsOnBatch("a comparison");
}

SymbolicValue valueOf(OnnxTensor tensor) {
  SymbolicValue value;
  value.type = tensor.type;
  value.shape = tensor.shape;
  if (isFloat(tensor.type))
    value.tensor = std::make_shared<OnnxTensor>(std::move(tensor));
  else
    for (int64_t element : tensor.integers)
      value.elements.push_back({0, element});
  return value;
}

SymbolicValue integerValue(std::vector<int64_t> shape, std::vector<SymbolicInteger> elements, OnnxType type) {
  SymbolicValue value;
  value.type = type;
  value.shape = std::move(shape);
  value.elements = std::move(elements);
  return value;
}

SymbolicValue floatValue(std::vector<int64_t> shape, std::vector<float> floats, OnnxType type) {
  OnnxTensor tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.floats = std::move(floats);
  return valueOf(std::move(tensor));
}

SymbolicValue takeElements(const SymbolicValue &from, std::vector<int64_t> shape, const std::vector<int64_t> &sources) {
  auto take = [&](const auto &values) {
    std::decay_t<decltype(values)> taken;
    taken.reserve(sources.size());
    for (int64_t source : sources)
      taken.push_back(values[source]);
    return taken;
  };
  if (isFloat(from.type))
    return floatValue(std::move(shape), take(from.tensor->floats), from.type);
  return integerValue(std::move(shape), take(from.elements), from.type);
}

std::vector<int64_t> constantIntegers(const SymbolicValue &value) {
  if (!isInteger(value.type))
    throw inputError("an operand must be integers, not " + typeName(value.type));
  std::vector<int64_t> integers;
  for (const SymbolicInteger &element : value.elements) {
    if (!element.isConstant())
      throw dependsOnBatch("an operand");
    integers.push_back(element.constant);
  }
  return integers;
}

std::vector<int64_t> broadcastShape(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  std::vector<int64_t> result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t extentA = i < a.size() ? a[a.size() - 1 - i] : 1, extentB = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (extentA != extentB && extentA != 1 && extentB != 1)
      throw inputError("shapes " + shapeText(a) + " and " + shapeText(b) + " do not broadcast");
    result[result.size() - 1 - i] = extentA == 1 ? extentB : extentA;
  }
  return result;
}

std::vector<int64_t> broadcastSources(const std::vector<int64_t> &shape, const std::vector<int64_t> &target) {
  // Strides of the source along the target's axes; 0 where it is broadcast.
  std::vector<int64_t> strides(target.size(), 0);
  int64_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t extent = shape[shape.size() - 1 - i];
    strides[target.size() - 1 - i] = extent == 1 ? 0 : stride;
    stride *= extent;
  }
  std::vector<int64_t> sources(checkedSize(target)), index(target.size(), 0);
  int64_t source = 0;
  for (int64_t &entry : sources) {
    entry = source;
    for (size_t axis = target.size(); axis-- > 0;) {
      source += strides[axis];
      if (++index[axis] < target[axis])
        break;
      source -= strides[axis] * target[axis];
      index[axis] = 0;
    }
  }
  return sources;
}

int64_t checkedSize(const std::vector<int64_t> &shape) {
  constexpr int64_t limit = int64_t(1) << 24;
  int64_t size = elementCount(shape, "a constant");
  if (size > limit)
    throw cannotError("a constant of shape " + shapeText(shape) + " is too large to be computed while importing");
  return size;
}

int64_t checkedAxis(int64_t axis, size_t rank) {
  auto extent = static_cast<int64_t>(rank);
  if (axis < -extent || axis >= extent)
    throw inputError("axis " + std::to_string(axis) + " does not exist in a tensor of " + std::to_string(rank) +
                     " dimensions");
  return axis < 0 ? axis + extent : axis;
}

} // namespace partyline
