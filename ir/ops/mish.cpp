//===- ir/ops/mish.cpp - Mish ---------------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importMish(OnnxNodeImporter &importer) { importUnary<MishOp>(importer); }

} // namespace partyline::party
