//===- ir/ops/elu.cpp - Elu -----------------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importElu(OnnxNodeImporter &importer) {
  const double alpha = importer.floatOr("alpha", 1);
  // The gradient comes from the output's sign.
  if (!(alpha >= 0))
    importer.unsupported("alpha is negative");
  importUnary<EluOp>(importer, alpha);
}

} // namespace partyline::party
