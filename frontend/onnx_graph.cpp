//===- frontend/onnx_graph.cpp - names, sizes and attributes --------------===//

#include "frontend/onnx_graph.h"

#include "runtime/shared/error.h"

namespace partyline {

std::string typeName(OnnxType type) {
  switch (type) {
  case OnnxType::undefined:
    return "undefined";
  case OnnxType::float32:
    return "float";
  case OnnxType::uint8:
    return "uint8";
  case OnnxType::int8:
    return "int8";
  case OnnxType::uint16:
    return "uint16";
  case OnnxType::int16:
    return "int16";
  case OnnxType::int32:
    return "int32";
  case OnnxType::int64:
    return "int64";
  case OnnxType::string:
    return "string";
  case OnnxType::boolean:
    return "bool";
  case OnnxType::float16:
    return "float16";
  case OnnxType::float64:
    return "double";
  case OnnxType::uint32:
    return "uint32";
  case OnnxType::uint64:
    return "uint64";
  case OnnxType::bfloat16:
    return "bfloat16";
  }
  return "number " + std::to_string(static_cast<int32_t>(type));
}

bool isFloat(OnnxType type) {
  return type == OnnxType::float32 || type == OnnxType::float16 || type == OnnxType::float64 ||
         type == OnnxType::bfloat16;
}

bool isInteger(OnnxType type) {
  switch (type) {
  case OnnxType::uint8:
  case OnnxType::int8:
  case OnnxType::uint16:
  case OnnxType::int16:
  case OnnxType::int32:
  case OnnxType::int64:
  case OnnxType::boolean:
  case OnnxType::uint32:
  case OnnxType::uint64:
    return true;
  default:
    return false;
  }
}

int64_t elementCount(const std::vector<int64_t> &shape, const std::string &what) {
  constexpr int64_t limit = int64_t(1) << 40, emptyLimit = int64_t(1) << 24;
  int64_t count = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      throw inputError(what + " has the negative extent " + std::to_string(extent));
    if (extent == 0)
      empty = true;
    else if (count > limit / extent)
      throw inputError(what + " is too large: its shape is " + shapeText(shape));
    else
      count *= extent;
  }
  if (empty && count > emptyLimit) // has no data, so any file can claim it; loops over its other extents would hang
    throw inputError(what + " is empty but its shape is " + shapeText(shape));
  return empty ? 0 : count;
}

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + (shape[i] == -1 ? std::string("N") : std::to_string(shape[i]));
  return text + "]";
}

std::string OnnxNode::describe() const {
  return "node '" + name + "' (" + (domain.empty() ? "" : domain + ".") + opType + ")";
}

/// The attribute as a T, with the one message for a wrong type.
template <typename T>
static T attributeOr(const OnnxNode &node, const std::string &attribute, const T &otherwise, const char *kind) {
  auto found = node.attributes.find(attribute);
  if (found == node.attributes.end())
    return otherwise;
  if (const T *value = std::get_if<T>(&found->second))
    return *value;
  throw inputError(node.describe() + ": its attribute '" + attribute + "' must be " + kind);
}

int64_t OnnxNode::integer(const std::string &attribute, int64_t otherwise) const {
  return attributeOr<int64_t>(*this, attribute, otherwise, "an integer");
}

float OnnxNode::real(const std::string &attribute, float otherwise) const {
  return attributeOr<float>(*this, attribute, otherwise, "a float");
}

std::string OnnxNode::text(const std::string &attribute, const std::string &otherwise) const {
  return attributeOr<std::string>(*this, attribute, otherwise, "a string");
}

std::vector<float> OnnxNode::reals(const std::string &attribute, const std::vector<float> &otherwise) const {
  return attributeOr<std::vector<float>>(*this, attribute, otherwise, "a list of floats");
}

const OnnxSubgraph &OnnxNode::subgraph(const std::string &attribute) const {
  auto graph = attributeOr<std::shared_ptr<const OnnxSubgraph>>(*this, attribute, nullptr, "a graph");
  if (!graph)
    throw inputError(describe() + ": its attribute '" + attribute + "' is missing");
  return *graph;
}

std::vector<int64_t> OnnxNode::integers(const std::string &attribute, const std::vector<int64_t> &otherwise) const {
  return attributeOr<std::vector<int64_t>>(*this, attribute, otherwise, "a list of integers");
}

} // namespace partyline
