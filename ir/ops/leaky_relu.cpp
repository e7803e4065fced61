//===- ir/ops/leaky_relu.cpp - LeakyRelu ----------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importLeakyRelu(OnnxNodeImporter &importer) {
  const double alpha = importer.floatOr("alpha", 0.01);
  // The gradient comes from the output's sign.
  if (!(alpha >= 0))
    importer.unsupported("alpha is negative");
  importUnary<LeakyReluOp>(importer, alpha);
}

} // namespace partyline::party
