//===- ir/softmax.cpp - what Softmax and LogSoftmax share -----------------===//
#include "ir/softmax.h"

using namespace mlir;

namespace partyline {

KernelCall rowKernel(Operation *op, StringRef family) {
  KernelCall call;
  call.kernel = {family.str(), {{"channels", cast<RankedTensorType>(op->getResult(0).getType()).getShape().back()}}};
  for (Value operand : op->getOperands())
    call.arguments.push_back(matrixArgument(operand));
  call.arguments.push_back(matrixArgument(op->getResult(0)));
  return call;
}

LogicalResult verifyRows(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getRank() == 0 || ShapedType::isDynamic(type.getShape().back()))
    return op->emitOpError("needs a dimension behind the batch, not ") << type;
  return success();
}

OpCost rowCost(Operation *op) {
  OpCost cost = elementwiseCost(op);
  return {5 * cost.perSample, 5 * cost.fixed};
}

SoftmaxAxis importSoftmaxAxis(OnnxNodeImporter &importer, RankedTensorType type) {
  int64_t rank = type.getRank();
  bool oneAxis = importer.opset() >= 13;
  int64_t axis = importer.intOr("axis", oneAxis ? -1 : 1);
  if (axis < 0)
    axis += rank;
  if (axis < 1 || axis >= rank)
    importer.unsupported("the axis must lie behind the batch dimension");
  SoftmaxAxis result;
  if (!oneAxis && axis != rank - 1) {
    if (axis != 1)
      importer.unsupported("before opset 13 the axis must be 1 or the last");
    result.flatShape = {type.getDimSize(0), collapsedExtent(type, 1, rank).fixed};
  } else if (oneAxis && axis != rank - 1) {
    for (int64_t i = 0; i < rank; ++i)
      if (i != axis)
        result.permutation.push_back(i);
    result.permutation.push_back(axis);
  }
  return result;
}

} // namespace partyline
