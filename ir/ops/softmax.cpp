//===- ir/ops/softmax.cpp - Softmax over the last dimension ---------------------===//
#include "ir/softmax.h"

using namespace mlir;

namespace partyline::party {

void importSoftmax(OnnxNodeImporter &importer) { importSoftmaxLike<SoftmaxOp>(importer); }

LogicalResult SoftmaxOp::verify() { return verifyRows(*this); }
LogicalResult SoftmaxGradientOp::verify() { return verifyRows(*this); }

SmallVector<Value> SoftmaxOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<SoftmaxGradientOp>(getLoc(), getOutput(), gradients[0])};
}

SmallVector<KernelCall> SoftmaxOp::getKernelCalls() { return {rowKernel(*this, "softmax")}; }
OpCost SoftmaxOp::getCost() { return rowCost(*this); }

SmallVector<KernelCall> SoftmaxGradientOp::getKernelCalls() { return {rowKernel(*this, "softmax_gradient")}; }
OpCost SoftmaxGradientOp::getCost() { return rowCost(*this); }

} // namespace partyline::party
