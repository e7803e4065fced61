//===- ir/ops/log_softmax.cpp - LogSoftmax over the last dimension ---------------------===//
#include "ir/softmax.h"

using namespace mlir;

namespace partyline::party {

void importLogSoftmax(OnnxNodeImporter &importer) { importSoftmaxLike<LogSoftmaxOp>(importer); }

LogicalResult LogSoftmaxOp::verify() { return verifyRows(*this); }
LogicalResult LogSoftmaxGradientOp::verify() { return verifyRows(*this); }

SmallVector<Value> LogSoftmaxOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<LogSoftmaxGradientOp>(getLoc(), getOutput(), gradients[0])};
}

SmallVector<KernelCall> LogSoftmaxOp::getKernelCalls() { return {rowKernel(*this, "log_softmax")}; }
OpCost LogSoftmaxOp::getCost() { return rowCost(*this); }

SmallVector<KernelCall> LogSoftmaxGradientOp::getKernelCalls() { return {rowKernel(*this, "log_softmax_gradient")}; }
OpCost LogSoftmaxGradientOp::getCost() { return rowCost(*this); }

} // namespace partyline::party
