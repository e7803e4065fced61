//===- ir/onnx_imports.cpp - the importer's table -------------------------===//
#include "ir/onnx_imports.h"

namespace partyline {

namespace party {
#define ONNX_IMPORT(op, versions, function, limits, noGradient) void function(OnnxNodeImporter &importer);
#include "ir/OnnxImports.inc"
#undef ONNX_IMPORT
} // namespace party

const std::vector<OnnxImport> &onnxImports() {
  static const std::vector<OnnxImport> imports = {
#define ONNX_IMPORT(op, versions, function, limits, noGradient) {op, versions, party::function, limits, noGradient},
#include "ir/OnnxImports.inc"
#undef ONNX_IMPORT
  };
  return imports;
}

const OnnxImport *findOnnxImport(const std::string &op) {
  for (const OnnxImport &import : onnxImports())
    if (import.op == op)
      return &import;
  return nullptr;
}

} // namespace partyline
