//===- passes/optimizer.cpp - see Passes.td -------------------------------===//
#include "passes/passes.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace partyline {

#define GEN_PASS_DEF_OPTIMIZER
#include "passes/Passes.h.inc"

namespace {

/// Elements [first, last) of the gradient arena that follow one rule.
struct Range {
  int64_t first, last;
  std::optional<double> rate;  ///< of a moving average; nothing: the optimizer's rule
  int64_t adaptedElements = 0; ///< of the one tensor whose norms lars takes; 0: none
};

struct OptimizerPass : impl::OptimizerBase<OptimizerPass> {
  using OptimizerBase::OptimizerBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> phase = requirePhase(module, kForwardBackwardFunction);
    if (failed(phase))
      return signalPassFailure();
    if (optimizer != "sgd" && optimizer != "adamw" && optimizer != "lars")
      return (module.emitError("optimizer ") << optimizer << " is unknown; it must be sgd, adamw or lars",
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
        createRule(builder, first, last, range.adaptedElements);
    }
    builder.create<func::ReturnOp>(module.getLoc());
    module->setAttr(kOptimizerSlots, builder.getStrArrayAttr(slots()));
  }

  void createRule(OpBuilder &builder, IntegerAttr first, IntegerAttr last, int64_t adaptedElements) {
    auto number = [&](double value) { return builder.getF64FloatAttr(value); };
    Location location = getOperation().getLoc();
    if (optimizer == "adamw")
      builder.create<party::AdamwOp>(location, first, last, number(beta1), number(beta2), number(epsilon),
                                     number(weightDecay));
    else if (adaptedElements)
      builder.create<party::LarsOp>(location, first, last, builder.getI64IntegerAttr(adaptedElements), number(momentum),
                                    number(weightDecay), number(trust));
    else
      builder.create<party::SgdOp>(location, first, last, number(momentum),
                                   number(optimizer == "lars" ? 0.0 : double(weightDecay)));
  }

  SmallVector<StringRef> slots() const {
    if (optimizer == "adamw")
      return {"first_moment", "second_moment"};
    return momentum != 0 ? SmallVector<StringRef>{"momentum"} : SmallVector<StringRef>{};
  }

  // The tensors that lars adapts: those of two dimensions or more. Biases, and the scales and biases of normalisation,
  // follow plain SGD without weight decay (X. Jia et al., "Highly scalable deep learning training system with
  // mixed-precision", 2018; so do MLPerf's rules for LARS): near 0, as they begin, their ratio would hold them there.
  static llvm::StringSet<> matricesOf(func::FuncOp function) {
    llvm::StringSet<> names;
    for (auto parameter : function.getOps<party::ParameterOp>())
      if (parameter.getOnnxShape().size() > 1)
        names.insert(parameter.getName());
    return names;
  }

  // The arena cut where the rule changes. Padding belongs to the tensor before it: its gradient is always 0.
  SmallVector<Range> ranges(func::FuncOp function, int64_t elements) const {
    const llvm::StringSet<> matrices = matricesOf(function);
    SmallVector<Range> stores;
    function.walk([&](party::StoreOpInterface store) {
      Range range{store->getAttrOfType<IntegerAttr>("offset").getInt(), 0, store.getMovingAverageRate()};
      if (optimizer == "lars" && !range.rate && matrices.contains(store.getStoredTensor()))
        range.adaptedElements = elementCount(cast<RankedTensorType>(store->getOperand(0).getType())).fixed;
      stores.push_back(range);
    });
    llvm::sort(stores, [](const Range &a, const Range &b) { return a.first < b.first; });
    SmallVector<Range> merged;
    for (const Range &store : stores) {
      const bool adapts = store.adaptedElements || (!merged.empty() && merged.back().adaptedElements);
      if (!merged.empty() && !adapts && merged.back().rate == store.rate)
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
