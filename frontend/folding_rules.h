//===- frontend/folding_rules.h - what each foldable operator computes ----===//
#pragma once

#include "frontend/symbolic_value.h"

namespace partyline {

/// What a rule sees of a node.
struct FoldingInput {
  const OnnxNode &node;
  int64_t opset;
  std::vector<const SymbolicValue *> operands; ///< null: left out, or not known

  /// The operand, which must be there.
  const SymbolicValue &operand(size_t index) const;
  bool has(size_t index) const { return index < operands.size() && operands[index]; }
  /// Integers from input `index` where the node has one, else from the attribute, else none: where opsets moved one
  /// to the other.
  std::optional<std::vector<int64_t>> list(size_t index, const std::string &attribute) const;
};

struct FoldingRule {
  SymbolicValue (*compute)(const FoldingInput &input);
  /// The data stay as they are, whatever their shape: trainable ones may pass.
  bool keepsData = false;
  /// Only the first operand needs to be known.
  bool firstOperandOnly = false;
};

/// The rule of an operator of the default domain; null where it is never folded. Shape and Size have none: they are
/// about values that need not be known.
const FoldingRule *findFoldingRule(const std::string &opType);
/// All operators that can be folded, Shape and Size among them, sorted by name.
std::vector<std::string> foldedOperators();

// The rules of constants and casts (folding_constants.cpp), and of arithmetic and reductions (folding_elementwise.cpp).
const std::map<std::string, FoldingRule> &constantFoldingRules();
const std::map<std::string, FoldingRule> &elementwiseFoldingRules();

} // namespace partyline
