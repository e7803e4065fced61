//===- frontend/constant_folding.h - shape arithmetic, folded away --------===//
//
// Exporters write shapes as programs: Shape, Gather, Concat, Cast... This class evaluates them while the importer goes
// through the nodes: a node that can be folded becomes a known value and leaves no op behind. The batch size is a
// symbol: known integers are factor * N + constant.
//
// Float initializers pass through unchanged where a node only renames or reshapes them (Reshape, Squeeze, Unsqueeze,
// Cast between float types, Expand to the same shape): still the same parameter. An Identity of one is a parameter of
// its own, named after the Identity's output: exporters merge initializers that happen to be equal that way. Nodes
// that compute with trainable data are not folded.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/symbolic_value.h"

#include <functional>

namespace partyline {

class ShapeArithmetic {
public:
  /// The shape of a value that the importer has made, -1 for the batch; empty where it has made none of this name.
  using ShapeOf = std::function<std::optional<std::vector<int64_t>>(const std::string &)>;

  /// `graph` must outlive this object: values refer to its initializers.
  ShapeArithmetic(const OnnxGraph &graph, ShapeOf shapeOf);

  /// Whether the node's output follows from what is known already.
  bool canFold(const OnnxNode &node) const;
  /// Computes the node's output, which find() knows from then on. Throws Error naming the node.
  void fold(const OnnxNode &node);

  /// A folded value or an initializer; null where `name` is neither.
  const SymbolicValue *find(const std::string &name) const;
  /// The elements of a known integer value that does not depend on the batch size; throws Error naming `name` where it
  /// does. Empty where the value is not known.
  std::optional<std::vector<int64_t>> integers(const std::string &name) const;

private:
  const OnnxGraph &graph;
  ShapeOf shapeOf;
  mutable std::map<std::string, SymbolicValue> values; ///< initializers enter when first asked for
  int64_t mayMake = 0; ///< elements that folding may still make; a graph that asks for more is an attack
};

} // namespace partyline
