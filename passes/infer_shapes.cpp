//===- passes/infer_shapes.cpp - see Passes.td ----------------------------===//
#include "passes/passes.h"

using namespace mlir;

namespace partyline {

#define GEN_PASS_DEF_INFERSHAPES
#include "passes/Passes.h.inc"

namespace {

struct InferShapesPass : impl::InferShapesBase<InferShapesPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(inferShapes(function)))
        return signalPassFailure();
  }

  LogicalResult inferShapes(func::FuncOp function) {
    WalkResult result = function.walk([](InferTypeOpInterface op) {
      SmallVector<Type> types;
      if (failed(op.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(), op->getRawDictionaryAttrs(),
                                     op->getPropertiesStorage(), op->getRegions(), types)))
        return (op->emitOpError("does not take operands of these types"), WalkResult::interrupt());
      for (auto [value, type] : llvm::zip_equal(op->getResults(), types))
        value.setType(type);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    Operation *end = function.getBody().front().getTerminator();
    function.setType(FunctionType::get(&getContext(), function.getArgumentTypes(), end->getOperandTypes()));
    return success();
  }
};

} // namespace
} // namespace partyline
