//===- ir/ops/sigmoid.cpp - Sigmoid ---------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importSigmoid(OnnxNodeImporter &importer) { importUnary<SigmoidOp>(importer); }

} // namespace partyline::party
