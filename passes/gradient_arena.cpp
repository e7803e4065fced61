//===- passes/gradient_arena.cpp - see Passes.td --------------------------===//
#include "passes/passes.h"

#include "runtime/shared/step_abi.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace partyline {

#define GEN_PASS_DEF_GRADIENTARENA
#include "passes/Passes.h.inc"

// Whether the op that makes the stored value can write it into the gradient arena by itself. The store must be all that
// uses it, and a whole tensor.
static bool producerAccumulates(party::StoreGradientOp store) {
  auto source = store.getValue().getDefiningOp<party::KernelOpInterface>();
  if (!source || !store.getValue().hasOneUse() || source->getNumResults() != 1)
    return false;
  SmallVector<KernelCall> calls = source.getKernelCalls();
  return calls.size() == 1 && calls.front().accumulates;
}

namespace {

struct GradientArenaPass : impl::GradientArenaBase<GradientArenaPass> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> phase = requirePhase(getOperation(), kForwardBackwardFunction);
    if (failed(phase))
      return signalPassFailure();
    func::FuncOp function = *phase;
    Builder builder(&getContext());
    if (function.getOps<party::StoreGradientOp>().empty())
      return (function.emitError("stores no gradient; run party-backward first"), signalPassFailure());
    struct Place {
      int64_t offset, elements;
    };
    llvm::StringMap<Place> places;
    int64_t next = 0;
    bool agree = true;
    auto place = [&](Operation *op, StringRef name, Value value) {
      constexpr int64_t unit = kArenaAlignment / int64_t(sizeof(float));
      int64_t elements = elementCount(cast<RankedTensorType>(value.getType())).fixed;
      auto [known, added] = places.insert({name, {next, elements}});
      if (added)
        next += (elements + unit - 1) / unit * unit;
      if (known->second.elements == elements)
        return;
      op->emitOpError() << "has " << elements << " elements, another op of this name " << known->second.elements;
      agree = false;
    };

    // Gradients first, then statistics: neither the order of the ops nor that of the names.
    for (bool statistics : {false, true})
      function.walk([&](party::StoreOpInterface store) {
        if (store.getMovingAverageRate().has_value() == statistics)
          place(store, store.getStoredTensor(), store->getOperand(0));
      });
    int64_t gradientElements = next;
    for (func::FuncOp phase : getOperation().getOps<func::FuncOp>())
      for (auto parameter : phase.getOps<party::ParameterOp>())
        place(parameter, parameter.getName(), parameter.getResult());
    if (!agree)
      return signalPassFailure();

    for (func::FuncOp phase : getOperation().getOps<func::FuncOp>())
      for (auto parameter : phase.getOps<party::ParameterOp>())
        parameter.setOffset(places.lookup(parameter.getName()).offset);
    function.walk([&](party::StoreOpInterface store) {
      store->setAttr("offset", builder.getI64IntegerAttr(places.lookup(store.getStoredTensor()).offset));
      if (auto gradient = dyn_cast<party::StoreGradientOp>(*store))
        gradient.setInPlace(producerAccumulates(gradient));
    });
    getOperation()->setAttr(kGradientElements, builder.getI64IntegerAttr(gradientElements));
    getOperation()->setAttr(kWeightElements, builder.getI64IntegerAttr(next));
  }
};

} // namespace
} // namespace partyline
