//===- ir/ops/normalize.cpp - normalisation within a sample ---------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

static Value reshaped(OnnxNodeImporter &importer, Value value, ArrayRef<int64_t> shape) {
  return importer.builder.createOrFold<ReshapeOp>(importer.location, floatTensor(importer.builder.getContext(), shape),
                                                  value);
}

static Value normalized(OnnxNodeImporter &importer, Value input, int64_t dimensions) {
  double epsilon = importer.floatOr("epsilon", 1e-5);
  if (!(epsilon >= 0))
    importer.unsupported("its epsilon is negative");
  return importer.builder.create<NormalizeOp>(importer.location, input, dimensions, APFloat(epsilon));
}

// value * input 1 + input 2, where it has these: seen as `shape`.
static Value scaledAndShifted(OnnxNodeImporter &importer, Value value, ArrayRef<int64_t> shape) {
  auto seen = [&](unsigned index) {
    Value weight = importer.parameter(index);
    auto type = importer.typeOf(weight);
    auto wanted = floatTensor(importer.builder.getContext(), shape);
    if (!type.hasStaticShape() || elementCount(type).fixed != elementCount(wanted).fixed)
      importer.unsupported("input " + std::to_string(index) + " must have " +
                           std::to_string(elementCount(wanted).fixed) + " values");
    return reshaped(importer, weight, shape);
  };
  if (importer.hasInput(1))
    value = importer.builder.create<MultiplyOp>(importer.location, value, seen(1));
  if (importer.hasInput(2))
    value = importer.builder.create<AddOp>(importer.location, value, seen(2));
  return value;
}

void importLayerNormalization(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  RankedTensorType type = importer.typeOf(input);
  int64_t axis = importAxis(importer, importer.intOr("axis", -1), type.getRank());
  if (type.isDynamicDim(axis))
    importer.unsupported("the batch cannot be normalised over");
  Value output = normalized(importer, input, type.getRank() - axis);
  importer.setOutput(0, scaledAndShifted(importer, output, type.getShape().drop_front(axis)));
}

// Normalises groups of channels, all positions taken together, as [N, groups, rest].
static Value normalizedGroups(OnnxNodeImporter &importer, Value input, int64_t groups) {
  RankedTensorType type = importer.typeOf(input);
  int64_t elements = collapsedExtent(type, 1, type.getRank()).fixed;
  return normalized(importer, reshaped(importer, input, {type.getDimSize(0), groups, elements / groups}), 1);
}

static RankedTensorType importChannels(OnnxNodeImporter &importer, Value input) {
  RankedTensorType type = importer.typeOf(input);
  if (type.getRank() < 3)
    importer.unsupported("its input has no positions behind the channels");
  return type;
}

// One weight per channel: [C, 1, ...].
static SmallVector<int64_t> perChannel(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getRank() - 1, 1);
  shape[0] = type.getDimSize(1);
  return shape;
}

void importInstanceNormalization(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  RankedTensorType type = importChannels(importer, input);
  Value output = reshaped(importer, normalizedGroups(importer, input, type.getDimSize(1)), type.getShape());
  importer.setOutput(0, scaledAndShifted(importer, output, perChannel(type)));
}

// Scale and bias are one per group in opset 18, one per channel since 21.
void importGroupNormalization(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  RankedTensorType type = importChannels(importer, input);
  int64_t groups = importer.intOr("num_groups", 0);
  if (groups < 1 || type.getDimSize(1) % groups)
    importer.unsupported("its num_groups must divide the channels");
  Value output = normalizedGroups(importer, input, groups);
  if (importer.opset() < 21)
    output = reshaped(importer, scaledAndShifted(importer, output, {groups, 1}), type.getShape());
  else
    output = scaledAndShifted(importer, reshaped(importer, output, type.getShape()), perChannel(type));
  importer.setOutput(0, output);
}

template <typename Op> static LogicalResult verifyNormalized(Op op) {
  RankedTensorType type = op.getType();
  auto dimensions = int64_t(op.getDimensions());
  if (dimensions < 1 || dimensions > type.getRank() || type.isDynamicDim(type.getRank() - dimensions))
    return op.emitOpError("needs ") << dimensions << " dimensions behind the batch, not " << type;
  if (!(op.getEpsilon().convertToDouble() >= 0))
    return op.emitOpError("has a negative epsilon");
  return success();
}

LogicalResult NormalizeOp::verify() { return verifyNormalized(*this); }
LogicalResult NormalizeGradientOp::verify() { return verifyNormalized(*this); }

SmallVector<Value> NormalizeOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<NormalizeGradientOp>(getLoc(), getInput(), gradients[0], getDimensions(), getEpsilon())};
}

template <typename Op> static KernelCall normalizeKernel(Op op, StringRef family) {
  RankedTensorType type = op.getType();
  auto dimensions = int64_t(op.getDimensions());
  KernelCall call;
  call.kernel = {family.str(),
                 {{"channels", collapsedExtent(type, type.getRank() - dimensions, type.getRank()).fixed}}};
  call.scalars = {constantFloat(op.getEpsilon().convertToDouble())};
  for (Value operand : op->getOperands())
    call.arguments.push_back(matrixArgument(operand, dimensions));
  call.arguments.push_back(matrixArgument(op->getResult(0), dimensions));
  return call;
}

SmallVector<KernelCall> NormalizeOp::getKernelCalls() { return {normalizeKernel(*this, "normalize")}; }

SmallVector<KernelCall> NormalizeGradientOp::getKernelCalls() { return {normalizeKernel(*this, "normalize_gradient")}; }

// Operations per element, those of the reductions included.
static OpCost costPerElement(Operation *op, double operations) {
  OpCost cost = elementwiseCost(op);
  return {operations * cost.perSample, operations * cost.fixed};
}

OpCost NormalizeOp::getCost() { return costPerElement(*this, 6); }
OpCost NormalizeGradientOp::getCost() { return costPerElement(*this, 12); }

} // namespace partyline::party
