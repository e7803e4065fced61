//===- passes/liveness.cpp - buffers of a phase ---------------------------===//
#include "passes/liveness.h"

#include "ir/elements.h"

using namespace mlir;

namespace partyline {

party::StoreGradientOp inPlaceStore(Value value) {
  if (!value.hasOneUse())
    return {};
  auto store = dyn_cast<party::StoreGradientOp>(*value.user_begin());
  return store && store.getInPlace() ? store : party::StoreGradientOp();
}

planner::ArenaProblem Liveness::problem(int64_t samples) const {
  planner::ArenaProblem problem;
  for (auto [i, buffer] : llvm::enumerate(buffers))
    problem.buffers.push_back({int64_t(i), buffer.lower, buffer.upper, buffer.bytes(samples)});
  return problem;
}

// Whether the op's result may take over the buffer of `operand`: it dies at this op and has the same size.
static bool canOverwrite(Operation *op, Value operand, const llvm::DenseMap<Value, int64_t> &bufferOf,
                         const std::vector<Buffer> &buffers, int64_t index) {
  auto place = bufferOf.find(operand);
  if (place == bufferOf.end() || op->getNumResults() == 0)
    return false;
  // Another operand in the same buffer (x + x, or a view) is read at the same elements only if it is the same value.
  for (Value other : op->getOperands())
    if (other != operand && bufferOf.contains(other) && bufferOf.lookup(other) == place->second)
      return false;
  const Buffer &buffer = buffers[place->second];
  auto [perSample, fixed] = tensorBytes(cast<RankedTensorType>(op->getResult(0).getType()));
  return buffer.bytesPerSample == perSample && buffer.bytesFixed == fixed && buffer.upper == index + 1;
}

// The operand whose buffer the result takes over; null: none.
static Value overwritten(Operation *op, const llvm::DenseMap<Value, int64_t> &bufferOf,
                         const std::vector<Buffer> &buffers, int64_t index) {
  auto kernelOp = dyn_cast<party::KernelOpInterface>(op);
  SmallVector<KernelCall> calls = kernelOp ? kernelOp.getKernelCalls() : SmallVector<KernelCall>();
  if (!calls.empty())
    for (Value operand : calls.back().inPlaceOver)
      if (canOverwrite(op, operand, bufferOf, buffers, index))
        return operand;
  return {};
}

Liveness computeLiveness(func::FuncOp function) {
  Liveness liveness;
  Block &block = function.getBody().front();

  // The last use of every value, that of its views and of results written over it included, needs the ops' places
  // first.
  DenseMap<Operation *, int64_t> indexOf;
  for (auto [i, op] : llvm::enumerate(block))
    indexOf[&op] = i;
  auto lastUse = [&](auto &self, Value value) -> int64_t {
    int64_t last = -1;
    for (Operation *user : value.getUsers()) {
      last = std::max(last, indexOf.lookup(user));
      if (isa<party::ViewOpInterface>(user) && user->getOperand(0) == value)
        last = std::max(last, self(self, user->getResult(0)));
    }
    return last;
  };
  auto add = [&](Value value, int64_t lower) {
    auto [perSample, fixed] = tensorBytes(cast<RankedTensorType>(value.getType()));
    liveness.bufferOf[value] = int64_t(liveness.buffers.size());
    liveness.buffers.push_back({perSample, fixed, lower, std::max(lastUse(lastUse, value), lower) + 1});
  };
  auto keepFor = [&](int64_t place, Value value) {
    liveness.bufferOf[value] = place;
    Buffer &buffer = liveness.buffers[place];
    buffer.upper = std::max(buffer.upper, lastUse(lastUse, value) + 1);
  };

  for (BlockArgument argument : block.getArguments())
    add(argument, 0);
  for (auto [i, op] : llvm::enumerate(block)) {
    if (isa<party::ParameterOp>(op))
      continue;
    if (isa<party::ViewOpInterface>(op)) {
      if (auto place = liveness.bufferOf.find(op.getOperand(0)); place != liveness.bufferOf.end())
        liveness.bufferOf[op.getResult(0)] = place->second;
      continue;
    }
    Value taken = overwritten(&op, liveness.bufferOf, liveness.buffers, i);
    for (OpResult result : op.getResults()) {
      if (inPlaceStore(result))
        continue;
      if (Value whole = columnsOf(result).whole; whole != result) {
        if (!liveness.bufferOf.contains(whole))
          add(whole, i);
        keepFor(liveness.bufferOf.lookup(whole), result);
      } else if (taken && result.getResultNumber() == 0) {
        keepFor(liveness.bufferOf.lookup(taken), result);
      } else if (!liveness.bufferOf.contains(result)) { // a concat's may be there since its first input
        add(result, i);
      }
    }
  }
  return liveness;
}

} // namespace partyline
