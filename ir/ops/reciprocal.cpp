//===- ir/ops/reciprocal.cpp - Reciprocal ---------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importReciprocal(OnnxNodeImporter &importer) { importUnary<ReciprocalOp>(importer); }

} // namespace partyline::party
