//===- ir/ops/log.cpp - Log -----------------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importLog(OnnxNodeImporter &importer) { importUnary<LogOp>(importer); }

} // namespace partyline::party
