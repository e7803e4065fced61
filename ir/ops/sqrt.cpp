//===- ir/ops/sqrt.cpp - Sqrt ---------------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importSqrt(OnnxNodeImporter &importer) { importUnary<SqrtOp>(importer); }

} // namespace partyline::party
