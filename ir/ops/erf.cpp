//===- ir/ops/erf.cpp - Erf -----------------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importErf(OnnxNodeImporter &importer) { importUnary<ErfOp>(importer); }

} // namespace partyline::party
