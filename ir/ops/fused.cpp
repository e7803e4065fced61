//===- ir/ops/fused.cpp - elementwise ops in one kernel -------------------===//
#include "ir/elements.h"

using namespace mlir;

namespace partyline::party {

LogicalResult FusedOp::verify() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getOperandTypes())
    return emitOpError("has a body that takes other types than the operands'");
  if (body.empty() || !isa<YieldOp>(body.back()) || body.back().getOperandTypes() != getResultTypes())
    return emitOpError("must yield its results");
  Operation *last = body.back().getPrevNode();
  if (!last || body.back().getOperands() != last->getResults())
    return emitOpError("must yield the results of the last op");
  if (isa<SliceOp>(last))
    return emitOpError("ends with party.slice, which computes nothing");
  for (Operation &op : body.without_terminator()) {
    if (!isFusible(&op))
      return op.emitOpError("cannot be fused");
    if (isa<SliceOp>(op) && !isa<BlockArgument>(op.getOperand(0)))
      return op.emitOpError("takes channels of what is made in the kernel: only those of an operand can be read");
    if (&op != last && cast<FusibleOpInterface>(op).sumsRows())
      return op.emitOpError("sums over rows, and so can only be the last of what is fused");
  }
  return success();
}

SmallVector<KernelCall> FusedOp::getKernelCalls() {
  Block &body = getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  return {elementsKernel(ops, body.getArguments(), getOperands(), getResults())};
}

OpCost FusedOp::getCost() {
  OpCost sum;
  for (auto op : getBody().front().getOps<KernelOpInterface>()) {
    OpCost cost = op.getCost();
    sum.perSample += cost.perSample;
    sum.fixed += cost.fixed;
  }
  return sum;
}

} // namespace partyline::party
