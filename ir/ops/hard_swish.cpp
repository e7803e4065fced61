//===- ir/ops/hard_swish.cpp - HardSwish ----------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importHardSwish(OnnxNodeImporter &importer) { importUnary<HardSwishOp>(importer); }

} // namespace partyline::party
