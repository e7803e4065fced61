//===- ir/ops/extremum.cpp - Max and Min ----------------------------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

void importMax(OnnxNodeImporter &importer) {
  importer.setOutput(0, createChain<MaximumOp>(importer, &OnnxNodeImporter::data));
}

void importMin(OnnxNodeImporter &importer) {
  importer.setOutput(0, createChain<MinimumOp>(importer, &OnnxNodeImporter::data));
}

// The gradient of `own`, one of two operands, where greater > less says that it is the result.
static Value gradientOf(OpBuilder &builder, Location location, Value own, Value greater, Value less, Value gradient) {
  Value share = builder.create<ExtremumGradientOp>(location, greater, less, gradient);
  return unbroadcast(builder, location, share, own.getType());
}

SmallVector<Value> MaximumOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {gradientOf(builder, getLoc(), getLhs(), getLhs(), getRhs(), gradients[0]),
          gradientOf(builder, getLoc(), getRhs(), getRhs(), getLhs(), gradients[0])};
}

SmallVector<Value> MinimumOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {gradientOf(builder, getLoc(), getLhs(), getRhs(), getLhs(), gradients[0]),
          gradientOf(builder, getLoc(), getRhs(), getLhs(), getRhs(), gradients[0])};
}

} // namespace partyline::party
