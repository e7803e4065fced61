//===- ir/ops/thresholded_relu.cpp - ThresholdedRelu ----------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importThresholdedRelu(OnnxNodeImporter &importer) {
  importUnary<ThresholdedReluOp>(importer, importer.floatOr("alpha", 1));
}

} // namespace partyline::party
