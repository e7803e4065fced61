//===- imported_model.h - ONNX graphs as models of these tests ------------===//
#pragma once

#include "tests/ops/model_builder.h"

#include "frontend/importer.h"

namespace partyline::ops_test {

/// What the importer made, with its weights as tensors.
Model modelOf(ImportedModel imported);

/// The model in an ONNX file.
Model loadModel(const std::string &file);

} // namespace partyline::ops_test
