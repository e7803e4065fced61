//===- ir/ops/gelu.cpp - Gelu ---------------------------------------------===//
#include "ir/op_helpers.h"

namespace partyline::party {

void importGelu(OnnxNodeImporter &importer) {
  const std::string approximate = importer.stringAttribute("approximate").value_or("none");
  if (approximate == "none")
    return importUnary<GeluOp>(importer);
  if (approximate == "tanh")
    return importUnary<GeluTanhOp>(importer);
  importer.unsupported("attribute approximate is \"" + approximate + "\"; it must be \"none\" or \"tanh\"");
}

} // namespace partyline::party
