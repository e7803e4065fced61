//===- ir/ops/exp.cpp - Exp -----------------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importExp(OnnxNodeImporter &importer) { importUnary<ExpOp>(importer); }

} // namespace partyline::party
