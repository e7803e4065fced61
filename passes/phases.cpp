//===- passes/phases.cpp - the functions that passes work on --------------===//
#include "passes/passes.h"

using namespace mlir;

namespace partyline {

FailureOr<func::FuncOp> requirePhase(ModuleOp module, StringRef name) {
  func::FuncOp function = phaseFunction(module, name);
  if (!function || function.isExternal())
    return module.emitError("has no @") << name
                                        << (name == kModelFunction ? "; import a model first"
                                                                   : "; run party-split-phases first");
  if (!function.getBody().hasOneBlock())
    return function.emitError("must have one block");
  for (Type type : function.getArgumentTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type); !tensor || !isBatchFirst(tensor))
      return function.emitError("must take tensors whose first dimension alone is dynamic, not ") << type;
  for (Operation &op : function.getBody().front())
    if (!isa_and_nonnull<party::PartyDialect>(op.getDialect()) && !isa<func::ReturnOp>(op))
      return op.emitOpError("has no place in a training step");
  return function;
}

FailureOr<SmallVector<func::FuncOp>> requirePhases(ModuleOp module) {
  SmallVector<func::FuncOp> phases;
  for (StringRef name : {kForwardBackwardFunction, kEvaluateFunction}) {
    if (!phaseFunction(module, name))
      continue;
    FailureOr<func::FuncOp> phase = requirePhase(module, name);
    if (failed(phase))
      return failure();
    phases.push_back(*phase);
  }
  if (phases.empty() && failed(requirePhase(module, kForwardBackwardFunction)))
    return failure();
  return phases;
}

party::LossOpInterface lossOf(func::FuncOp function) {
  Operation *end = function.getBody().front().getTerminator();
  Value first = end->getNumOperands() ? end->getOperand(0) : Value();
  auto loss = first ? first.getDefiningOp<party::LossOpInterface>() : nullptr;
  return loss && first == loss->getResult(0) ? loss : nullptr;
}

} // namespace partyline
