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
  using SplitPhasesBase::SplitPhasesBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> phase = requirePhase(getOperation(), kModelFunction);
    if (failed(phase))
      return signalPassFailure();
    func::FuncOp function = *phase;
    if (statistics != "train" && statistics != "torch" && statistics != "frozen")
      return (getOperation().emitError("statistics ")
                  << statistics << " are unknown; they must be train, torch or frozen",
              signalPassFailure());
    if (statistics == "frozen")
      freezeStatistics(function);
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
    function.walk([](party::InferenceOpInterface op) { replaceByInferenceForm(op); });
  }

  static void replaceByInferenceForm(party::InferenceOpInterface op) {
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(op.buildInference(builder));
    op->erase();
  }

  // What never moves is a constant: no slot in the gradient arena, nothing to exchange or to keep in checkpoints.
  static void freezeStatistics(func::FuncOp function) {
    function.walk([](party::StatisticsOpInterface op) {
      for (StateUpdate update : op.getStateUpdates())
        if (auto state = update.state.getDefiningOp<party::ParameterOp>())
          state.setKind(kConstantKind);
      replaceByInferenceForm(cast<party::InferenceOpInterface>(*op));
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
        builder.create<party::StoreStatisticOp>(
            op.getLoc(), update.statistic, state.getNameAttr(), builder.getF64FloatAttr(update.rate), IntegerAttr(),
            statistics == "torch" && update.varianceOf ? builder.getI64IntegerAttr(update.varianceOf) : IntegerAttr());
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
} // namespace partyline
