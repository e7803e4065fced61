//===- ir/ops/tanh.cpp - Tanh ---------------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importTanh(OnnxNodeImporter &importer) { importUnary<TanhOp>(importer); }

} // namespace partyline::party
