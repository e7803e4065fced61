//===- ir/ops/scale.cpp - multiplication by a constant --------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

void importNeg(OnnxNodeImporter &importer) { importUnary<ScaleOp>(importer, -1.0); }

SmallVector<Value> ScaleOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<ScaleOp>(getLoc(), gradients[0], getFactor())};
}

SmallVector<KernelCall> ScaleOp::getKernelCalls() {
  return {
      copyKernel(flatArgument(getInput()), flatArgument(getOutput()), constantFloat(getFactor().convertToDouble()))};
}

} // namespace partyline::party
