//===- frontend/symbolic_value.h - small tensors known while importing ----===//
//
// What shape arithmetic computes with: integers that may depend on the batch size N as factor * N + constant, and
// float data. Functions here know no nodes; their Errors get the node's name from ShapeArithmetic::fold.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/onnx_graph.h"

#include <memory>
#include <optional>

namespace partyline {

/// factor * N + constant, where N >= 1 is the batch size.
struct SymbolicInteger {
  int64_t factor = 0;
  int64_t constant = 0;
  bool isConstant() const { return factor == 0; }
  bool operator==(const SymbolicInteger &) const = default;
};

// Each throws Error where the result overflows or is not of the form factor * N + constant.
SymbolicInteger add(SymbolicInteger a, SymbolicInteger b);
SymbolicInteger subtract(SymbolicInteger a, SymbolicInteger b);
SymbolicInteger multiply(SymbolicInteger a, SymbolicInteger b);
/// Truncates, as ONNX's Div does.
SymbolicInteger divide(SymbolicInteger a, SymbolicInteger b);
/// Takes the divisor's sign, as ONNX's Mod does.
SymbolicInteger modulo(SymbolicInteger a, SymbolicInteger b);
SymbolicInteger minimum(SymbolicInteger a, SymbolicInteger b);
SymbolicInteger maximum(SymbolicInteger a, SymbolicInteger b);
bool isLess(SymbolicInteger a, SymbolicInteger b);
bool isEqual(SymbolicInteger a, SymbolicInteger b);

/// A tensor whose elements are known. Float data are shared: a reshaped initializer is still that initializer.
struct SymbolicValue {
  OnnxType type = OnnxType::int64;
  std::vector<int64_t> shape;
  std::vector<SymbolicInteger> elements; ///< where isInteger(type)
  /// Where isFloat(type): the data, in the order of `shape`. The tensor's own shape differs where the value went
  /// through a Reshape, Squeeze or Unsqueeze.
  std::shared_ptr<const OnnxTensor> tensor;
  /// The data are those of the float initializer tensor->name, or of an Identity of one: they may be trained.
  bool trainable = false;

  int64_t size() const { return static_cast<int64_t>(isFloat(type) ? tensor->floats.size() : elements.size()); }
};

/// A value that holds `tensor` and keeps it alive.
SymbolicValue valueOf(OnnxTensor tensor);
SymbolicValue integerValue(std::vector<int64_t> shape, std::vector<SymbolicInteger> elements,
                           OnnxType type = OnnxType::int64);
SymbolicValue floatValue(std::vector<int64_t> shape, std::vector<float> floats, OnnxType type = OnnxType::float32);

/// Element i of the result is element sources[i] of `from`.
SymbolicValue takeElements(const SymbolicValue &from, std::vector<int64_t> shape, const std::vector<int64_t> &sources);

/// All elements as integers; throws Error where one depends on the batch size or the value is no integer tensor.
std::vector<int64_t> constantIntegers(const SymbolicValue &value);

/// The shape that `a` and `b` broadcast to, as in numpy. Throws Error where they do not fit.
std::vector<int64_t> broadcastShape(const std::vector<int64_t> &a, const std::vector<int64_t> &b);
/// For each element of `target`, the element of a tensor of `shape` that is broadcast there.
std::vector<int64_t> broadcastSources(const std::vector<int64_t> &shape, const std::vector<int64_t> &target);

/// Number of elements, checked against what shape arithmetic may make: a constant larger than that is an attack.
int64_t checkedSize(const std::vector<int64_t> &shape);
/// `axis` counted from the front. Throws Error where a tensor of `rank` has no such axis.
int64_t checkedAxis(int64_t axis, size_t rank);

} // namespace partyline
