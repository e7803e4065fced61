//===- ir/ops/leaky_relu.cpp - LeakyRelu ----------------------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

void importLeakyRelu(OnnxNodeImporter &importer) {
  const double alpha = importer.floatOr("alpha", 0.01);
  // The gradient comes from the output's sign.
  if (!(alpha >= 0))
    importer.unsupported("alpha is negative");
  importer.setOutput(
      0, importer.builder.create<LeakyReluOp>(importer.location, importer.data(0), APFloat(alpha)).getOutput());
}

SmallVector<Value> LeakyReluOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<LeakyReluGradientOp>(getLoc(), getOutput(), gradients[0], getAlpha())};
}

SmallVector<KernelCall> LeakyReluOp::getKernelCalls() {
  return {flatKernel(*this, "leaky_relu", getInput(), constantFloat(getAlpha().convertToDouble()))};
}

SmallVector<KernelCall> LeakyReluGradientOp::getKernelCalls() {
  return {flatKernel(*this, "leaky_relu_gradient", getOperands(), constantFloat(getAlpha().convertToDouble()))};
}

} // namespace partyline::party
