//===- passes/verify_stages.cpp - what holds between the stages -----------===//
#include "passes/verify_stages.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace partyline {

LogicalResult verifyImported(ModuleOp module) {
  func::FuncOp function = phaseFunction(module, kModelFunction);
  if (!function)
    return module.emitError("has no @model");
  if ((function.getNumArguments() != 2 || function.getNumResults() != 1) && !lossOf(function))
    return function.emitError(
        "must take (input, sample ids) and return the output, or labels, too, and the loss first");
  WalkResult result = function.walk([](InferTypeOpInterface op) {
    SmallVector<Type> types;
    if (failed(op.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(), op->getRawDictionaryAttrs(),
                                   op->getPropertiesStorage(), op->getRegions(), types)) ||
        TypeRange(types) != op->getResultTypes())
      return (op->emitOpError("has result types that do not follow from its operands"), WalkResult::interrupt());
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult verifyLayout(ModuleOp module) {
  WalkResult result = module.walk([](party::ChannelsLastOpInterface op) {
    if (!op->hasAttr("channels_last"))
      return (op->emitOpError("is still in NCHW form"), WalkResult::interrupt());
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult verifyBackward(ModuleOp module) {
  func::FuncOp function = phaseFunction(module, kForwardBackwardFunction);
  if (!function)
    return module.emitError("has no @forward_backward");
  llvm::StringMap<Type> stored;
  for (Operation &op : function.getBody().front()) {
    if (auto store = dyn_cast<party::StoreOpInterface>(op))
      if (!stored.try_emplace(store.getStoredTensor(), op.getOperand(0).getType()).second)
        return op.emitOpError("stores a gradient that another op stores already");
    if (!isa<party::KernelOpInterface, party::DecomposableOpInterface, party::ViewOpInterface, party::ParameterOp,
             func::ReturnOp>(op))
      return op.emitOpError("has no kernel");
  }
  for (auto parameter : function.getOps<party::ParameterOp>()) {
    if (parameter.getKind() != kParameterKind)
      continue;
    auto gradient = stored.find(parameter.getName());
    if (gradient != stored.end() && gradient->second != parameter.getType())
      return parameter.emitOpError("has a gradient of another type");
  }
  return success();
}

LogicalResult verifyOptimizer(ModuleOp module) {
  func::FuncOp update = phaseFunction(module, kUpdateFunction);
  if (!update)
    return module.emitError("has no @update");
  int64_t next = 0;
  for (auto op : update.getOps<party::UpdateOpInterface>()) {
    if (op.getRangeFirst() != next || op.getRangeLast() <= next)
      return op->emitOpError("leaves a gap in the gradient arena, or covers a part twice");
    next = op.getRangeLast();
  }
  if (next != module->getAttrOfType<IntegerAttr>(kGradientElements).getInt())
    return update.emitError("does not cover the gradient arena");

  for (func::FuncOp phase : module.getOps<func::FuncOp>())
    for (Operation &op : phase.getBody().front())
      if (isa<party::DecomposableOpInterface>(op))
        return op.emitOpError("is not taken apart");

  SmallVector<std::pair<int64_t, int64_t>> ranges;
  llvm::StringMap<int64_t> seen;
  for (func::FuncOp phase : module.getOps<func::FuncOp>())
    for (auto parameter : phase.getOps<party::ParameterOp>()) {
      if (!parameter.getOffset())
        return parameter.emitOpError("has no place in the weight arena");
      int64_t offset = int64_t(*parameter.getOffset());
      if (seen.try_emplace(parameter.getName(), offset).second)
        ranges.push_back({offset, offset + elementCount(parameter.getType()).fixed});
    }
  llvm::sort(ranges);
  for (size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first < ranges[i - 1].second)
      return module.emitError("two weights overlap in the weight arena");
  return success();
}

LogicalResult verifyArena(ModuleOp module) {
  for (func::FuncOp phase : module.getOps<func::FuncOp>())
    for (Operation &op : phase.getBody().front()) {
      auto kernelOp = dyn_cast<party::KernelOpInterface>(op);
      if (kernelOp && op.getNumResults() && !op.getAttrOfType<DenseI64ArrayAttr>(kOffsets))
        return op.emitOpError("has no place in the arena");
    }
  return success();
}

} // namespace partyline
