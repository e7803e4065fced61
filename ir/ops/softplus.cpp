//===- ir/ops/softplus.cpp - Softplus -------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importSoftplus(OnnxNodeImporter &importer) { importUnary<SoftplusOp>(importer); }

} // namespace partyline::party
