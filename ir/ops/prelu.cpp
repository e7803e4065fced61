//===- ir/ops/prelu.cpp - PRelu -------------------------------------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

void importPRelu(OnnxNodeImporter &importer) {
  Value input = importer.data(0), slope = importer.parameter(1);
  auto type = broadcastType(importer.typeOf(input), importer.typeOf(slope));
  if (failed(type) || *type != importer.typeOf(input))
    importer.unsupported("the slope's shape does not broadcast to the input's");
  importer.setOutput(0, importer.builder.create<PReluOp>(importer.location, input, slope).getResult());
}

LogicalResult PReluOp::verify() {
  if (getType() != getInput().getType())
    return emitOpError() << "has a slope, " << getSlope().getType() << ", that does not broadcast to "
                         << getInput().getType();
  return success();
}

SmallVector<Value> PReluOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  Value slope = builder.create<PReluSlopeGradientOp>(getLoc(), getInput(), gradients[0]);
  return {builder.create<PReluGradientOp>(getLoc(), getInput(), getSlope(), gradients[0]),
          unbroadcast(builder, getLoc(), slope, getSlope().getType())};
}

} // namespace partyline::party
