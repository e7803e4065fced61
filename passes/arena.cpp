//===- passes/arena.cpp - see Passes.td -----------------------------------===//
#include "passes/liveness.h"

using namespace mlir;

namespace partyline {

#define GEN_PASS_DEF_ARENA
#include "passes/Passes.h.inc"

namespace {

/// Per call: no phone holds as many, and bytes stay far from overflow.
constexpr int64_t kMostSamples = int64_t(1) << 20;

struct ArenaPass : impl::ArenaBase<ArenaPass> {
  using ArenaBase::ArenaBase;

  void runOnOperation() override {
    Builder builder(&getContext());
    if (microBatch < 1 || microBatch > kMostSamples)
      return (getOperation().emitError("micro-batch must lie between 1 and ") << kMostSamples, signalPassFailure());
    FailureOr<SmallVector<func::FuncOp>> phases = requirePhases(getOperation());
    if (failed(phases))
      return signalPassFailure();
    int64_t height = 0;
    for (func::FuncOp function : *phases) {
      for (auto store : function.getOps<party::StoreOpInterface>())
        if (!store->hasAttr("offset"))
          return (store->emitOpError("has no place in the gradient arena; run party-gradient-arena first"),
                  signalPassFailure());
      Liveness liveness = computeLiveness(function);
      planner::ArenaProblem problem = liveness.problem(microBatch);
      planner::ArenaSolution solution = planner::solveArena(problem);
      if (auto fault = planner::validateArena(problem, solution))
        return (function.emitError("the arena is wrong: ") << *fault, signalPassFailure());
      height = std::max(height, solution.height);

      auto offsets = [&](ValueRange values) {
        SmallVector<int64_t> result;
        for (Value value : values) {
          auto place = liveness.bufferOf.find(value);
          result.push_back(place == liveness.bufferOf.end() ? -1 : solution.offsets[place->second]);
        }
        return builder.getDenseI64ArrayAttr(result);
      };
      function->setAttr(kOffsets, offsets(function.getArguments()));
      for (Operation &op : function.getBody().front())
        if (op.getNumResults())
          op.setAttr(kOffsets, offsets(op.getResults()));
    }
    getOperation()->setAttr(kActivationBytes, builder.getI64IntegerAttr(height));
  }
};

} // namespace
} // namespace partyline
