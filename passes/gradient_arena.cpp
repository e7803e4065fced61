//===- passes/gradient_arena.cpp - see Passes.td --------------------------===//
#include "passes/passes.h"

#include "runtime/shared/step_abi.h"

#include "llvm/ADT/MapVector.h"

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
    func::FuncOp function = phaseFunction(getOperation(), kForwardBackwardFunction);
    if (!function)
      return;
    Builder builder(&getContext());
    llvm::MapVector<StringRef, int64_t> offsets;
    int64_t next = 0;
    auto place = [&](StringRef name, int64_t elements) {
      constexpr int64_t unit = kArenaAlignment / int64_t(sizeof(float));
      if (offsets.insert({name, next}).second)
        next += (elements + unit - 1) / unit * unit;
    };

    // Gradients first, then statistics: neither the order of the ops nor that of the names.
    for (bool statistics : {false, true})
      function.walk([&](party::StoreOpInterface store) {
        if (store.getMovingAverageRate().has_value() == statistics)
          place(store.getStoredTensor(), elementCount(cast<RankedTensorType>(store->getOperand(0).getType())).fixed);
      });
    int64_t gradientElements = next;
    for (func::FuncOp phase : getOperation().getOps<func::FuncOp>())
      for (auto parameter : phase.getOps<party::ParameterOp>())
        place(parameter.getName(), elementCount(parameter.getType()).fixed);

    for (func::FuncOp phase : getOperation().getOps<func::FuncOp>())
      for (auto parameter : phase.getOps<party::ParameterOp>())
        parameter.setOffset(offsets.lookup(parameter.getName()));
    function.walk([&](party::StoreOpInterface store) {
      store->setAttr("offset", builder.getI64IntegerAttr(offsets.lookup(store.getStoredTensor())));
      if (auto gradient = dyn_cast<party::StoreGradientOp>(*store))
        gradient.setInPlace(producerAccumulates(gradient));
    });
    getOperation()->setAttr(kGradientElements, builder.getI64IntegerAttr(gradientElements));
    getOperation()->setAttr(kWeightElements, builder.getI64IntegerAttr(next));
  }
};

} // namespace
} // namespace partyline
