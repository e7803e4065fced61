//===- ir/ops/broadcast_to.cpp - Expand -----------------------------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

// The two shapes broadcast to each other: where the target's extent is 1, the input's stays. An initializer of several
// elements that is expanded to the batch is trained: a learned token, as of vision transformers.
void importExpand(OnnxNodeImporter &importer) {
  auto shape = importer.shape(1);
  if (!shape)
    importer.unsupported("the shape is not constant");
  if (llvm::any_of(*shape, [](int64_t extent) { return extent != kBatch && extent < 1; }))
    importer.unsupported("the shape has a dimension below 1");
  auto known = importer.constantFloats(0);
  const bool isToken = known && known->size() > 1 && !shape->empty() && shape->front() == kBatch;
  Value input = isToken ? importer.parameter(0) : importer.data(0);
  auto type = broadcastType(importer.typeOf(input), floatTensor(importer.builder.getContext(), *shape));
  if (failed(type))
    importer.unsupported("the input does not broadcast to the shape");
  if (*type != input.getType())
    input = importer.builder.create<BroadcastToOp>(importer.location, *type, input);
  importer.setOutput(0, input);
}

LogicalResult BroadcastToOp::verify() {
  auto type = broadcastType(getInput().getType(), getType());
  if (failed(type) || *type != getType())
    return emitOpError() << "cannot broadcast " << getInput().getType() << " to " << getType();
  return success();
}

SmallVector<Value> BroadcastToOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {unbroadcast(builder, getLoc(), gradients[0], getInput().getType())};
}

SmallVector<KernelCall> BroadcastToOp::getKernelCalls() { return {broadcastCopyKernel(*this)}; }

} // namespace partyline::party
