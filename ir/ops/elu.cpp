//===- ir/ops/elu.cpp - Elu -----------------------------------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

void importElu(OnnxNodeImporter &importer) {
  const double alpha = importer.floatOr("alpha", 1);
  // The gradient comes from the output's sign.
  if (!(alpha >= 0))
    importer.unsupported("alpha is negative");
  importer.setOutput(0,
                     importer.builder.create<EluOp>(importer.location, importer.data(0), APFloat(alpha)).getOutput());
}

SmallVector<Value> EluOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<EluGradientOp>(getLoc(), getOutput(), gradients[0], getAlpha())};
}

SmallVector<KernelCall> EluOp::getKernelCalls() {
  return {flatKernel(*this, "elu", getInput(), constantFloat(getAlpha().convertToDouble()))};
}

SmallVector<KernelCall> EluGradientOp::getKernelCalls() {
  return {flatKernel(*this, "elu_gradient", getOperands(), constantFloat(getAlpha().convertToDouble()))};
}

} // namespace partyline::party
