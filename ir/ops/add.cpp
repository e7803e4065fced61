//===- ir/ops/add.cpp - addition with broadcasting ------------------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

void importAdd(OnnxNodeImporter &importer) { importBinary<AddOp>(importer); }

LogicalResult AddOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferBroadcastType(location, adaptor.getLhs(), adaptor.getRhs(), types);
}

SmallVector<Value> AddOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {unbroadcast(builder, getLoc(), gradients[0], getLhs().getType()),
          unbroadcast(builder, getLoc(), gradients[0], getRhs().getType())};
}

SmallVector<KernelCall> AddOp::getKernelCalls() { return {broadcastKernel(*this, "add")}; }

} // namespace partyline::party
