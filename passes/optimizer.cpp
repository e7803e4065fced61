//===- passes/optimizer.cpp - see Passes.td -------------------------------===//
#include "passes/passes.h"

using namespace mlir;

namespace partyline {

#define GEN_PASS_DEF_OPTIMIZER
#include "passes/Passes.h.inc"

namespace {

/// Elements [first, last) of the gradient arena that follow one rule.
struct Range {
  int64_t first, last;
  std::optional<double> rate; ///< of a moving average; nothing: the optimizer's rule
};

struct OptimizerPass : impl::OptimizerBase<OptimizerPass> {
  using OptimizerBase::OptimizerBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> phase = requirePhase(module, kForwardBackwardFunction);
    if (failed(phase))
      return signalPassFailure();
    if (optimizer != "sgd" && optimizer != "adamw")
      return (module.emitError("optimizer ") << optimizer << " is unknown; it must be sgd or adamw",
              signalPassFailure());
    auto elements = module->getAttrOfType<IntegerAttr>(kGradientElements);
    bool placed =
        llvm::all_of(phase->getOps<party::StoreOpInterface>(), [](auto store) { return store->hasAttr("offset"); });
    if (!elements || !placed)
      return (module.emitError("the gradient arena is not laid out; run party-gradient-arena first"),
              signalPassFailure());

    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(module.getBody());
    auto update = builder.create<func::FuncOp>(module.getLoc(), kUpdateFunction, builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(update.addEntryBlock());
    for (const Range &range : ranges(*phase, elements.getInt())) {
      IntegerAttr first = builder.getI64IntegerAttr(range.first), last = builder.getI64IntegerAttr(range.last);
      if (range.rate)
        builder.create<party::MovingAverageOp>(module.getLoc(), first, last, builder.getF64FloatAttr(*range.rate));
      else
        createRule(builder, first, last);
    }
    builder.create<func::ReturnOp>(module.getLoc());
    module->setAttr(kOptimizerSlots, builder.getStrArrayAttr(slots()));
  }

  void createRule(OpBuilder &builder, IntegerAttr first, IntegerAttr last) {
    auto number = [&](double value) { return builder.getF64FloatAttr(value); };
    Location location = getOperation().getLoc();
    if (optimizer == "adamw")
      builder.create<party::AdamwOp>(location, first, last, number(beta1), number(beta2), number(epsilon),
                                     number(weightDecay));
    else
      builder.create<party::SgdOp>(location, first, last, number(momentum), number(weightDecay));
  }

  SmallVector<StringRef> slots() const {
    if (optimizer == "adamw")
      return {"first_moment", "second_moment"};
    return momentum != 0 ? SmallVector<StringRef>{"momentum"} : SmallVector<StringRef>{};
  }

  // The arena cut where the rule changes. Padding belongs to the tensor before it: its gradient is always 0.
  static SmallVector<Range> ranges(func::FuncOp function, int64_t elements) {
    SmallVector<Range> stores;
    function.walk([&](party::StoreOpInterface store) {
      stores.push_back({store->getAttrOfType<IntegerAttr>("offset").getInt(), 0, store.getMovingAverageRate()});
    });
    llvm::sort(stores, [](const Range &a, const Range &b) { return a.first < b.first; });
    SmallVector<Range> merged;
    for (const Range &store : stores) {
      if (!merged.empty() && merged.back().rate == store.rate)
        continue;
      if (!merged.empty())
        merged.back().last = store.first;
      merged.push_back(store);
    }
    if (!merged.empty())
      merged.back().last = elements;
    return merged;
  }
};

} // namespace
} // namespace partyline
