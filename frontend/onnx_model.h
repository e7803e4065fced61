//===- frontend/onnx_model.h - an ONNX file, checked ----------------------===//
#pragma once

#include "frontend/onnx_graph.h"

#include <filesystem>

namespace partyline {

/// Reads an ONNX model, its external data included, and checks all that does not depend on what an operator means:
/// versions, data against shapes, unique names, every value made before it is used. Throws Error naming the file.
OnnxGraph loadOnnxModel(const std::filesystem::path &path);

} // namespace partyline
