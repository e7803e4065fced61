//===- ir/ops/divide.cpp - division with broadcasting ---------------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

// Unlike a factor, a divisor is never trained: exporters write constants so.
void importDiv(OnnxNodeImporter &importer) {
  Value lhs = importer.data(0);
  importBroadcast<DivideOp>(importer, lhs, importer.data(1));
}

// d(a/b) = da/b - (a/b) db/b
SmallVector<Value> DivideOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  Value quotient = builder.create<DivideOp>(getLoc(), gradients[0], getRhs());
  Value product = builder.create<MultiplyOp>(getLoc(), quotient, getResult());
  return {unbroadcast(builder, getLoc(), quotient, getLhs().getType()),
          builder.create<NegateSumOp>(getLoc(), getRhs().getType(), product)};
}

} // namespace partyline::party
