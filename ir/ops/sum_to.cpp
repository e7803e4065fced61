//===- ir/ops/sum_to.cpp - the sum that undoes a broadcast ----------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

LogicalResult SumToOp::verify() { return verifySumTo(*this); }

SmallVector<KernelCall> SumToOp::getKernelCalls() { return {sumToKernel(*this, 1)}; }

} // namespace partyline::party
