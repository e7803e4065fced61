//===- ir/ops/multiply.cpp - multiplication with broadcasting -------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

void importMul(OnnxNodeImporter &importer) { importBinary<MultiplyOp>(importer); }

SmallVector<Value> MultiplyOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  Value lhs = builder.create<MultiplyOp>(getLoc(), gradients[0], getRhs());
  Value rhs = builder.create<MultiplyOp>(getLoc(), gradients[0], getLhs());
  return {unbroadcast(builder, getLoc(), lhs, getLhs().getType()),
          unbroadcast(builder, getLoc(), rhs, getRhs().getType())};
}

} // namespace partyline::party
