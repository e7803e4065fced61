//===- imported_model.cpp -------------------------------------------------===//
#include "tests/ops/imported_model.h"

#include "frontend/onnx_model.h"

using namespace mlir;

namespace partyline::ops_test {

Model modelOf(ImportedModel imported) {
  Model model;
  imported.module->walk([&](party::ParameterOp op) {
    const std::string name = op.getName().str();
    model.weights.emplace(name, Tensor(Shape(op.getOnnxShape()), imported.weights.at(name)));
  });
  model.module = std::move(imported.module);
  return model;
}

Model loadModel(const std::string &file) { return modelOf(importModel(loadOnnxModel(file), context())); }

} // namespace partyline::ops_test
