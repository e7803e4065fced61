//===- ir/ops/abs.cpp - Abs -----------------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importAbs(OnnxNodeImporter &importer) { importUnary<AbsOp>(importer); }

} // namespace partyline::party
