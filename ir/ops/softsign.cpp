//===- ir/ops/softsign.cpp - Softsign -------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importSoftsign(OnnxNodeImporter &importer) { importUnary<SoftsignOp>(importer); }

} // namespace partyline::party
