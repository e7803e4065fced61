//===- ir/ops/sigmoid.cpp - Sigmoid ---------------------------------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

void importSigmoid(OnnxNodeImporter &importer) { importUnary<SigmoidOp>(importer); }

SmallVector<Value> SigmoidOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<SigmoidGradientOp>(getLoc(), getOutput(), gradients[0])};
}

SmallVector<KernelCall> SigmoidOp::getKernelCalls() { return {flatKernel(*this, "sigmoid", getInput())}; }

SmallVector<KernelCall> SigmoidGradientOp::getKernelCalls() {
  return {flatKernel(*this, "sigmoid_gradient", getOperands())};
}

} // namespace partyline::party
