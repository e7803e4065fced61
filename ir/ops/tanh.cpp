//===- ir/ops/tanh.cpp - Tanh ---------------------------------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

void importTanh(OnnxNodeImporter &importer) { importUnary<TanhOp>(importer); }

SmallVector<Value> TanhOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<TanhGradientOp>(getLoc(), getOutput(), gradients[0])};
}

SmallVector<KernelCall> TanhOp::getKernelCalls() { return {flatKernel(*this, "tanh", getInput())}; }

SmallVector<KernelCall> TanhGradientOp::getKernelCalls() {
  return {flatKernel(*this, "tanh_gradient", getOperands())};
}

} // namespace partyline::party
