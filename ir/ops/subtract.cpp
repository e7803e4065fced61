//===- ir/ops/subtract.cpp - subtraction with broadcasting ----------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

void importSub(OnnxNodeImporter &importer) { importBinary<SubtractOp>(importer); }

SmallVector<Value> SubtractOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {unbroadcast(builder, getLoc(), gradients[0], getLhs().getType()),
          builder.create<NegateSumOp>(getLoc(), getRhs().getType(), gradients[0])};
}

LogicalResult NegateSumOp::verify() { return verifySumTo(*this); }

SmallVector<KernelCall> NegateSumOp::getKernelCalls() { return {sumToKernel(*this, -1)}; }

} // namespace partyline::party
