//===- ir/ops/multiply.cpp - multiplication with broadcasting -------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

void importMul(OnnxNodeImporter &importer) { importBinary<MultiplyOp>(importer); }

LogicalResult MultiplyOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  return inferBroadcastType(location, adaptor.getLhs(), adaptor.getRhs(), types);
}

SmallVector<Value> MultiplyOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  Value lhs = builder.create<MultiplyOp>(getLoc(), gradients[0], getRhs());
  Value rhs = builder.create<MultiplyOp>(getLoc(), gradients[0], getLhs());
  return {unbroadcast(builder, getLoc(), lhs, getLhs().getType()),
          unbroadcast(builder, getLoc(), rhs, getRhs().getType())};
}

SmallVector<KernelCall> MultiplyOp::getKernelCalls() { return {broadcastKernel(*this, "multiply")}; }

} // namespace partyline::party
