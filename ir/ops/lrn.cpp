//===- ir/ops/lrn.cpp - local response normalisation ----------------------===//
#include "ir/op_helpers.h"

#include <cmath>

using namespace mlir;

namespace partyline::party {

static constexpr int64_t kWidest = 255; // the kernel writes its window out

// The channels are brought to the end and back: where images lie channels-last, neither moves anything.
void importLrn(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  int64_t rank = importer.typeOf(input).getRank(), size = importer.intOr("size", 0);
  double alpha = importer.floatOr("alpha", 1e-4), beta = importer.floatOr("beta", 0.75),
         bias = importer.floatOr("bias", 1);
  if (rank < 3)
    importer.unsupported("its input has no positions behind the channels");
  if (size < 1 || size > kWidest)
    importer.unsupported("its size must lie between 1 and " + std::to_string(kWidest));
  if (!(alpha >= 0 && bias > 0 && std::isfinite(beta)))
    importer.unsupported("its alpha must not be negative, its bias must be positive");
  OpBuilder &builder = importer.builder;
  Value last = builder.create<TransposeOp>(importer.location, input, toChannelsLast(rank));
  last = builder.create<LrnOp>(importer.location, last, size, APFloat(alpha), APFloat(beta), APFloat(bias));
  importer.setOutput(0, builder.create<TransposeOp>(importer.location, last, toChannelsFirst(rank)).getResult());
}

template <typename Op> static LogicalResult verifyLrn(Op op) {
  RankedTensorType type = op.getType();
  if (type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1))
    return op.emitOpError("needs channels behind the batch, not ") << type;
  if (int64_t(op.getSize()) < 1 || int64_t(op.getSize()) > kWidest)
    return op.emitOpError("has an impossible size");
  return success();
}

LogicalResult LrnOp::verify() { return verifyLrn(*this); }
LogicalResult LrnGradientOp::verify() { return verifyLrn(*this); }

SmallVector<Value> LrnOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {
      builder.create<LrnGradientOp>(getLoc(), getInput(), gradients[0], getSize(), getAlpha(), getBeta(), getBias())};
}

template <typename Op> static KernelCall lrnKernel(Op op, StringRef family) {
  KernelCall call;
  call.kernel = {family.str(),
                 {{"channels", op.getType().getShape().back()},
                  {"size", int64_t(op.getSize())},
                  {"beta", op.getBeta().convertToDouble()}}};
  call.scalars = {constantFloat(op.getAlpha().convertToDouble() / double(op.getSize())),
                  constantFloat(op.getBias().convertToDouble())};
  for (Value operand : op->getOperands())
    call.arguments.push_back(matrixArgument(operand));
  call.arguments.push_back(matrixArgument(op->getResult(0)));
  return call;
}

SmallVector<KernelCall> LrnOp::getKernelCalls() { return {lrnKernel(*this, "lrn")}; }
SmallVector<KernelCall> LrnGradientOp::getKernelCalls() { return {lrnKernel(*this, "lrn_gradient")}; }

static OpCost lrnCost(Operation *op, int64_t size) {
  OpCost cost = elementwiseCost(op);
  double operations = 10 + double(size);
  return {operations * cost.perSample, operations * cost.fixed};
}

OpCost LrnOp::getCost() { return lrnCost(*this, int64_t(getSize())); }
OpCost LrnGradientOp::getCost() { return lrnCost(*this, 2 * int64_t(getSize())); }

} // namespace partyline::party
