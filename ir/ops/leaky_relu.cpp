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

template <typename Op> static KernelCall kernelWithAlpha(Op op, StringRef family) {
  KernelCall call = flatKernel(op, family, op->getOperands());
  call.scalars = {constantFloat(op.getAlpha().convertToDouble())};
  return call;
}

SmallVector<KernelCall> LeakyReluOp::getKernelCalls() { return {kernelWithAlpha(*this, "leaky_relu")}; }

SmallVector<KernelCall> LeakyReluGradientOp::getKernelCalls() {
  return {kernelWithAlpha(*this, "leaky_relu_gradient")};
}

} // namespace partyline::party
