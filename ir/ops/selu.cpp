//===- ir/ops/selu.cpp - Selu ---------------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importSelu(OnnxNodeImporter &importer) {
  const double alpha = importer.floatOr("alpha", 1.67326319217681884765625);
  const double gamma = importer.floatOr("gamma", 1.05070102214813232421875);
  // The gradient comes from the output's sign.
  if (!(alpha >= 0 && gamma >= 0))
    importer.unsupported("alpha or gamma is negative");
  importUnary<SeluOp>(importer, alpha, gamma);
}

} // namespace partyline::party
