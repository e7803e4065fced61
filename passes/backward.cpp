//===- passes/backward.cpp - see Passes.td --------------------------------===//
//
// 1. The ops that lead to the loss are visited in reverse order.
// 2. An op with a gradient on a result builds those of its operands; they are added up per operand.
// 3. What reaches a parameter is stored; what reaches nothing trained is dead and goes.
//
//===----------------------------------------------------------------------===//
#include "passes/passes.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace partyline {

#define GEN_PASS_DEF_BACKWARD
#include "passes/Passes.h.inc"

namespace {

struct BackwardPass : impl::BackwardBase<BackwardPass> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> phase = requirePhase(getOperation(), kForwardBackwardFunction);
    if (failed(phase))
      return signalPassFailure();
    func::FuncOp function = *phase;
    Block &block = function.getBody().front();
    Operation *end = block.getTerminator();
    if (!block.getOps<party::StoreGradientOp>().empty())
      return (function.emitError("has its gradients already"), signalPassFailure());
    party::LossOpInterface loss = lossOf(function);
    if (!loss)
      return (function.emitError("does not return a loss first; run party-append-loss before party-split-phases"),
              signalPassFailure());
    DenseMap<Value, Value> gradients;
    OpBuilder builder(end);

    SmallVector<Operation *> forward;
    for (Operation &op : block.without_terminator())
      forward.push_back(&op);
    for (Operation *op : llvm::reverse(forward)) {
      SmallVector<Value> results;
      for (Value result : op->getResults())
        results.push_back(gradients.lookup(result));
      if (op != loss && llvm::none_of(results, [](Value gradient) { return bool(gradient); }))
        continue;
      if (auto parameter = dyn_cast<party::ParameterOp>(op)) {
        if (parameter.getKind() == kParameterKind)
          builder.create<party::StoreGradientOp>(op->getLoc(), results[0], parameter.getName(), IntegerAttr(), false);
        continue;
      }
      auto differentiable = dyn_cast<party::GradientOpInterface>(op);
      if (!differentiable)
        return (op->emitOpError("has no gradient"), signalPassFailure());
      SmallVector<Value> operands = differentiable.buildGradient(builder, results);
      for (auto [operand, gradient] : llvm::zip_equal(op->getOperands(), operands)) {
        if (!gradient)
          continue;
        Value &sum = gradients[operand];
        sum = sum ? builder.create<party::AddOp>(op->getLoc(), sum, gradient) : gradient;
      }
    }
    hoistStores(block);
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, function->getRegions());
  }

  // Parameters stand at the top, so their stores come last: each is moved to right behind its value.
  static void hoistStores(Block &block) {
    for (auto store : llvm::make_early_inc_range(block.getOps<party::StoreGradientOp>()))
      if (Operation *source = store.getValue().getDefiningOp())
        store->moveAfter(source);
  }
};

} // namespace
} // namespace partyline
