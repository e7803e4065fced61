//===- passes/split_phases.cpp - see Passes.td ----------------------------===//
#include "passes/passes.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace partyline {

#define GEN_PASS_DEF_SPLITPHASES
#include "passes/Passes.h.inc"

namespace {

struct SplitPhasesPass : impl::SplitPhasesBase<SplitPhasesPass> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> phase = requirePhase(getOperation(), kModelFunction);
    if (failed(phase))
      return signalPassFailure();
    func::FuncOp function = *phase;
    func::FuncOp evaluate = function.clone();
    evaluate.setName(kEvaluateFunction);
    getOperation().push_back(evaluate);
    makeInferenceForm(evaluate);

    function.setName(kForwardBackwardFunction);
    if (failed(storeStatistics(function)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (func::FuncOp phase : {function, evaluate})
      (void)runRegionDCE(rewriter, phase->getRegions());
  }

  void makeInferenceForm(func::FuncOp function) {
    function.walk([](party::InferenceOpInterface op) {
      OpBuilder builder(op);
      op->getResult(0).replaceAllUsesWith(op.buildInference(builder));
      op->erase();
    });
  }

  LogicalResult storeStatistics(func::FuncOp function) {
    llvm::StringSet<> stored;
    WalkResult result = function.walk([&](party::StatisticsOpInterface op) {
      OpBuilder builder(op);
      builder.setInsertionPointAfter(op);
      for (StateUpdate update : op.getStateUpdates()) {
        auto state = update.state.getDefiningOp<party::ParameterOp>();
        if (!state || state.getKind() != kStateKind)
          continue; // Computed statistics have nothing that could move.
        if (!stored.insert(state.getName()).second)
          return (op->emitOpError("shares its running statistics ") << state.getName() << " with another op",
                  WalkResult::interrupt());
        builder.create<party::StoreStatisticOp>(op.getLoc(), update.statistic, state.getNameAttr(),
                                                builder.getF64FloatAttr(update.rate), IntegerAttr());
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
} // namespace partyline
