//===- passes/order.cpp - see Passes.td -----------------------------------===//
#include "passes/liveness.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partyline {

#define GEN_PASS_DEF_ORDER
#include "passes/Passes.h.inc"

// Samples per call at which orders are compared: more than one, since weight gradients weigh little beside activations.
static constexpr int64_t kTypicalSamples = 8;

static int64_t mostLiveBytes(func::FuncOp function) {
  return planner::arenaLowerBound(computeLiveness(function).problem(kTypicalSamples));
}

static void apply(Block &block, ArrayRef<Operation *> order) {
  for (Operation *op : order)
    op->moveBefore(block.getTerminator());
}

// List scheduling: of the ops whose operands are there, the one that leaves the fewest bytes alive; ties: the earliest.
static SmallVector<Operation *> frugalOrder(Block &block) {
  // Weights are there anyway, and so is the gradient arena's room for what is only stored.
  auto bytes = [](Value value) {
    bool stored = !value.use_empty() &&
                  llvm::all_of(value.getUsers(), [](Operation *user) { return isa<party::StoreOpInterface>(user); });
    if (stored || value.getDefiningOp<party::ParameterOp>())
      return int64_t(0);
    auto [perSample, fixed] = tensorBytes(cast<RankedTensorType>(value.getType()));
    return perSample * kTypicalSamples + fixed;
  };
  DenseMap<Operation *, unsigned> missing; // operands that are not made yet
  DenseMap<Value, unsigned> uses;
  SmallVector<Operation *> ready, order;
  for (Operation &op : block.without_terminator()) {
    unsigned &count = missing[&op];
    for (Value operand : op.getOperands()) {
      count += operand.getDefiningOp() != nullptr;
      ++uses[operand];
    }
    if (count == 0)
      ready.push_back(&op);
  }
  for (Value returned : block.getTerminator()->getOperands())
    ++uses[returned];

  while (!ready.empty()) {
    int64_t best = std::numeric_limits<int64_t>::max();
    size_t chosen = 0;
    for (auto [i, op] : llvm::enumerate(ready)) {
      int64_t growth = 0;
      for (Value result : op->getResults())
        growth += result.use_empty() ? 0 : bytes(result);
      llvm::SmallDenseMap<Value, unsigned> here;
      for (Value operand : op->getOperands())
        ++here[operand];
      for (auto [operand, count] : here)
        if (uses.lookup(operand) == count)
          growth -= bytes(operand);
      if (growth < best)
        best = growth, chosen = i;
    }
    Operation *op = ready[chosen];
    ready.erase(ready.begin() + chosen);
    order.push_back(op);
    for (Value operand : op->getOperands())
      --uses[operand];
    SmallVector<Operation *> next;
    for (Value result : op->getResults())
      for (OpOperand &use : result.getUses())
        if (use.getOwner() != block.getTerminator() && --missing[use.getOwner()] == 0)
          next.push_back(use.getOwner());
    // Keep the list in program order, so that ties go to the earliest.
    llvm::sort(next, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *added : next)
      ready.insert(llvm::lower_bound(ready, added, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); }),
                   added);
  }
  return order;
}

namespace {

struct OrderPass : impl::OrderBase<OrderPass> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> phase = requirePhase(getOperation(), kForwardBackwardFunction);
    if (failed(phase))
      return signalPassFailure();
    func::FuncOp function = *phase;
    Block &block = function.getBody().front();
    hoistStores(block);
    SmallVector<Operation *> written;
    for (Operation &op : block.without_terminator())
      written.push_back(&op);
    int64_t before = mostLiveBytes(function);
    apply(block, frugalOrder(block));
    if (mostLiveBytes(function) >= before)
      apply(block, written);
  }

  // Ops all of whose results are only stored go right behind the last of their operands, their stores behind them.
  static void hoistStores(Block &block) {
    SmallVector<Operation *> stored;
    for (Operation &op : block.without_terminator())
      if (op.getNumResults() && op.getNumOperands() && !op.use_empty() &&
          llvm::all_of(op.getUsers(), [](Operation *user) { return isa<party::StoreOpInterface>(user); }))
        stored.push_back(&op);
    for (Operation *op : stored) {
      Operation *last = nullptr;
      for (Value operand : op->getOperands())
        if (Operation *source = operand.getDefiningOp(); source && (!last || last->isBeforeInBlock(source)))
          last = source;
      if (!last)
        continue;
      op->moveAfter(last);
      for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
        user->moveAfter(op);
    }
  }
};

} // namespace
} // namespace partyline
