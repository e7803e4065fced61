//===- ir/ops/dropout.cpp - dropout with counter-based masks --------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

void importDropout(OnnxNodeImporter &importer) {
  // The ratio is an attribute until opset 11, an input since.
  double ratio = importer.floatOr("ratio", 0.5);
  if (importer.hasInput(1)) {
    auto values = importer.constantFloats(1);
    if (!values || values->size() != 1)
      importer.unsupported("the ratio is not constant");
    ratio = values->front();
  }
  if (!(ratio >= 0 && ratio < 1))
    importer.unsupported("the ratio must be at least 0 and below 1");
  Value input = importer.data(0);
  if (ratio == 0)
    return importer.setOutput(0, input);
  OpBuilder &builder = importer.builder;
  importer.setOutput(0, builder
                            .create<DropoutOp>(importer.location, input, importer.sampleIds(),
                                               builder.getF64FloatAttr(ratio),
                                               builder.getI64IntegerAttr(importer.nextDropoutLayer()))
                            .getResult());
}

LogicalResult DropoutOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult DropoutOp::verify() {
  double ratio = getRatio().convertToDouble();
  if (!(ratio >= 0 && ratio < 1))
    return emitOpError("ratio must be at least 0 and below 1");
  auto input = getInput().getType(), ids = getSampleIds().getType();
  if (input.getRank() < 1 || ids.getShape() != input.getShape().take_front(1))
    return emitOpError() << "needs one sample id for every sample: " << input << " has not as many as " << ids;
  return success();
}

unsigned DropoutOp::getNumDataOperands() { return 1; }

SmallVector<Value> DropoutOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<DropoutOp>(getLoc(), gradients[0], getSampleIds(), getRatioAttr(), getLayerAttr()), Value()};
}

Value DropoutOp::buildInference(OpBuilder &) { return getInput(); }

SmallVector<KernelCall> DropoutOp::getKernelCalls() {
  int64_t columns = getInput().getType().getRank() - 1;
  KernelCall call;
  call.kernel = {"dropout", {}};
  call.scalars = {constantFloat(getRatio().convertToDouble()), fromCall(KernelScalar::Source::seed),
                  fromCall(KernelScalar::Source::step), constantInt(getLayer())};
  call.arguments = {matrixArgument(getInput(), columns), flatArgument(getSampleIds()),
                    matrixArgument(getOutput(), columns)};
  call.inPlaceOver = {getInput()};
  return {call};
}

} // namespace partyline::party
