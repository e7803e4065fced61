//===- frontend/onnx_graph.h - an ONNX graph as plain structs -------------===//
//
// What the file says, checked and free of protobuf: weights as floats, shapes with -1 where the file has a symbol,
// nodes in topological order. onnx_model.h fills it in.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace partyline {

/// Element types of ONNX, numbered as in TensorProto.DataType.
enum class OnnxType : int32_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  bfloat16 = 16,
};

/// "float", "int64"..., as ONNX writes them.
std::string typeName(OnnxType type);
/// float, double, float16, bfloat16: all are held as float.
bool isFloat(OnnxType type);
/// Integers and booleans: held as int64.
bool isInteger(OnnxType type);

/// Product of the extents. Throws Error naming `what` where an extent is negative or the product is beyond 2^40.
int64_t elementCount(const std::vector<int64_t> &shape, const std::string &what);
/// "[2,3]"; -1 is written as N.
std::string shapeText(const std::vector<int64_t> &shape);

/// A constant with its data: an initializer, or the value of an attribute.
struct OnnxTensor {
  std::string name;
  OnnxType type = OnnxType::float32;
  std::vector<int64_t> shape;
  std::vector<float> floats;     ///< where isFloat(type)
  std::vector<int64_t> integers; ///< where isInteger(type)
};

/// An attribute of a kind that no trainable operator has (a list of graphs, a sparse tensor...).
struct OnnxOtherAttribute {
  std::string kind;
};

struct OnnxSubgraph;

using OnnxAttribute =
    std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>, std::vector<std::string>,
                 OnnxTensor, std::shared_ptr<const OnnxSubgraph>, OnnxOtherAttribute>;

struct OnnxNode {
  std::string name; ///< made up as OPTYPE_index where the file has none
  std::string opType;
  std::string domain;               ///< empty: ONNX's own
  std::vector<std::string> inputs;  ///< an empty name: an optional input left out
  std::vector<std::string> outputs; ///< an empty name: an optional output left out
  std::map<std::string, OnnxAttribute> attributes;

  bool has(const std::string &attribute) const { return attributes.count(attribute) > 0; }
  /// The attribute's value, or `otherwise` where the node has none. Throws Error where it has another type.
  int64_t integer(const std::string &attribute, int64_t otherwise) const;
  float real(const std::string &attribute, float otherwise) const;
  std::string text(const std::string &attribute, const std::string &otherwise) const;
  std::vector<int64_t> integers(const std::string &attribute, const std::vector<int64_t> &otherwise) const;
  std::vector<float> reals(const std::string &attribute, const std::vector<float> &otherwise) const;
  const OnnxSubgraph &subgraph(const std::string &attribute) const; ///< Error also where the node has none
  /// Input or output `index`; empty where it is left out.
  std::string input(size_t index) const { return index < inputs.size() ? inputs[index] : std::string(); }
  std::string output(size_t index) const { return index < outputs.size() ? outputs[index] : std::string(); }
  /// "node 'NAME' (OPTYPE)", for messages.
  std::string describe() const;
};

/// A branch of an If: nodes that see the values of the graph around them. Its initializers are Constant nodes here.
struct OnnxSubgraph {
  std::vector<OnnxNode> nodes;
  std::vector<std::string> outputs;
};

/// An input or output of the graph.
struct OnnxValue {
  std::string name;
  OnnxType type = OnnxType::undefined;
  bool hasShape = false;
  std::vector<int64_t> shape; ///< -1: a symbol, or not said
};

struct OnnxGraph {
  std::string path; ///< of the file, for messages
  std::string name;
  std::string producer;          ///< what wrote the file
  int64_t opset = 0;             ///< of the default domain
  std::vector<OnnxValue> inputs; ///< those that are no initializers
  std::vector<OnnxValue> outputs;
  std::map<std::string, OnnxTensor> initializers;
  std::vector<OnnxNode> nodes; ///< in topological order
};

} // namespace partyline
