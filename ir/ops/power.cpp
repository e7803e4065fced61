//===- ir/ops/power.cpp - powers ------------------------------------------===//
#include "ir/broadcast.h"

#include <cmath>

using namespace mlir;

namespace partyline::party {

// The exponent where it is one constant number, of a float or, since opset 12, of an integer type.
static std::optional<double> importExponent(OnnxNodeImporter &importer) {
  if (auto floats = importer.constantFloats(1))
    return floats->size() == 1 ? std::optional(floats->front()) : std::nullopt;
  auto integers = importer.constantInts(1);
  return integers && integers->size() == 1 ? std::optional(double(integers->front())) : std::nullopt;
}

void importPow(OnnxNodeImporter &importer) {
  const auto exponent = importExponent(importer);
  if (exponent == 1)
    return importer.setOutput(0, importer.data(0));
  if (exponent == 0.5)
    return importUnary<SqrtOp>(importer);
  if (exponent == -1)
    return importUnary<ReciprocalOp>(importer);
  if (exponent && !std::isfinite(*exponent))
    importer.unsupported("the exponent is not a finite number");
  if (exponent)
    return importUnary<PowerOp>(importer, *exponent);
  // base^exponent = exp(exponent log(base))
  Value logarithm = importer.builder.create<LogOp>(importer.location, importer.data(0));
  Value product = createBroadcast<MultiplyOp>(importer, logarithm, importer.data(1));
  importer.setOutput(0, importer.builder.create<ExpOp>(importer.location, product).getOutput());
}

SmallVector<Value> PowerOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<PowerGradientOp>(getLoc(), getInput(), gradients[0], getExponent())};
}

// The exponent is a compile-time parameter: a few multiplications and square roots make most powers.
template <typename Op> static KernelCall powerKernel(Op op) {
  KernelCall call = flatKernel(op, op->getName().stripDialect(), op->getOperands());
  call.kernel.parameters = {{"exponent", op.getExponent().convertToDouble()}};
  return call;
}

SmallVector<KernelCall> PowerOp::getKernelCalls() { return {powerKernel(*this)}; }
SmallVector<KernelCall> PowerGradientOp::getKernelCalls() { return {powerKernel(*this)}; }

} // namespace partyline::party
