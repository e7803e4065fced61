//===- ir/ops/hard_sigmoid.cpp - HardSigmoid ------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importHardSigmoid(OnnxNodeImporter &importer) {
  importUnary<HardSigmoidOp>(importer, importer.floatOr("alpha", 0.2), importer.floatOr("beta", 0.5));
}

} // namespace partyline::party
