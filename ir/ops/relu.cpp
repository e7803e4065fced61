//===- ir/ops/relu.cpp - Relu ---------------------------------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

void importRelu(OnnxNodeImporter &importer) { importUnary<ReluOp>(importer); }

SmallVector<Value> ReluOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<ReluGradientOp>(getLoc(), getOutput(), gradients[0])};
}

SmallVector<KernelCall> ReluOp::getKernelCalls() { return {flatKernel(*this, "relu", getInput())}; }

SmallVector<KernelCall> ReluGradientOp::getKernelCalls() {
  return {flatKernel(*this, "relu_gradient", getOperands())};
}

} // namespace partyline::party
