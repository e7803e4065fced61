//===- ir/ops/clip.cpp - Clip ---------------------------------------------===//
#include "ir/op_helpers.h"

#include <limits>

using namespace mlir;

namespace partyline::party {

// A bound: an attribute before opset 11, an input since; none: the type's own.
static double importBound(OnnxNodeImporter &importer, const std::string &name, unsigned input, double none) {
  if (importer.opset() < 11)
    return importer.floatOr(name, none);
  if (!importer.hasInput(input))
    return none;
  auto values = importer.constantFloats(input);
  if (!values || values->size() != 1)
    importer.unsupported("its bound '" + name + "' is no constant scalar");
  return values->front();
}

void importClip(OnnxNodeImporter &importer) {
  constexpr double largest = std::numeric_limits<float>::max();
  double minimum = importBound(importer, "min", 1, -largest), maximum = importBound(importer, "max", 2, largest);
  if (!(minimum <= maximum))
    importer.unsupported("its lower bound is not below its upper bound");
  importer.setOutput(
      0, importer.builder.create<ClipOp>(importer.location, importer.data(0), APFloat(minimum), APFloat(maximum))
             .getOutput());
}

LogicalResult ClipOp::verify() {
  if (!(getMinimum() <= getMaximum()))
    return emitOpError("has a lower bound that is not below its upper bound");
  return success();
}

// At a bound the gradient is 0, as of PyTorch's hardtanh and relu6.
SmallVector<Value> ClipOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<ClipGradientOp>(getLoc(), getOutput(), gradients[0], getMinimum(), getMaximum())};
}

template <typename Op> static KernelCall boundedKernel(Op op, StringRef family) {
  return flatKernel(
      op, family, op->getOperands(),
      {constantFloat(op.getMinimum().convertToDouble()), constantFloat(op.getMaximum().convertToDouble())});
}

SmallVector<KernelCall> ClipOp::getKernelCalls() { return {boundedKernel(*this, "clip")}; }

SmallVector<KernelCall> ClipGradientOp::getKernelCalls() { return {boundedKernel(*this, "clip_gradient")}; }

} // namespace partyline::party
