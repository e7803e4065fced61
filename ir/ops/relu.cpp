//===- ir/ops/relu.cpp - Relu ---------------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importRelu(OnnxNodeImporter &importer) { importUnary<ReluOp>(importer); }

} // namespace partyline::party
