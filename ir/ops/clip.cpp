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
  importUnary<ClipOp>(importer, minimum, maximum);
}

template <typename Op> static LogicalResult verifyBounds(Op op) {
  if (!(op.getMinimum() <= op.getMaximum()))
    return op.emitOpError("has a lower bound that is not below its upper bound");
  return success();
}

LogicalResult ClipOp::verify() { return verifyBounds(*this); }
LogicalResult ClipGradientOp::verify() { return verifyBounds(*this); }

} // namespace partyline::party
