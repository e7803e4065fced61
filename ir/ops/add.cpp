//===- ir/ops/add.cpp - addition with broadcasting ------------------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

void importAdd(OnnxNodeImporter &importer) { importBinary<AddOp>(importer); }

void importSum(OnnxNodeImporter &importer) {
  importer.setOutput(0, createChain<AddOp>(importer, &OnnxNodeImporter::operand));
}

void importMean(OnnxNodeImporter &importer) {
  Value sum = createChain<AddOp>(importer, &OnnxNodeImporter::operand);
  const double share = 1.0 / importer.numInputs();
  importer.setOutput(0, importer.builder.create<ScaleOp>(importer.location, sum, APFloat(share)).getOutput());
}

SmallVector<Value> AddOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {unbroadcast(builder, getLoc(), gradients[0], getLhs().getType()),
          unbroadcast(builder, getLoc(), gradients[0], getRhs().getType())};
}

} // namespace partyline::party
