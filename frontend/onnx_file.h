//===- frontend/onnx_file.h - ModelProto from and to disk -----------------===//
//
// For the frontend's own sources: whoever includes this sees protobuf. Everything else uses onnx_graph.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/onnx_graph.h"

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <functional>

namespace partyline {

/// Reads a ModelProto and checks what holds for every model: it is a protobuf, it has a graph, its IR version and its
/// opset are known. Throws Error naming the file.
onnx::ModelProto readModelProto(const std::filesystem::path &path);

/// Version of the default domain.
int64_t defaultOpset(const onnx::ModelProto &model);

/// Bytes of one element; 0 for types without a fixed size in whole bytes.
int64_t bytesPerElement(int32_t dataType);

/// Reads a tensor's external data, `bytes` of them. They must lie inside `folder`: no absolute location, no "..", no
/// link that leads out. `where` begins the messages.
std::string readExternalData(const onnx::TensorProto &tensor, const std::filesystem::path &folder, int64_t bytes,
                             const std::string &where);

/// A tensor's data as floats or integers. Takes the bytes out of `tensor`, so that weights are not held twice.
OnnxTensor takeTensor(onnx::TensorProto &tensor, const std::filesystem::path &folder, const std::string &where);

/// Replaces a tensor's data and keeps its name and data type.
void putFloats(onnx::TensorProto &tensor, const std::vector<float> &values, const std::string &where);

/// Writes a model, beside and renamed. Where it is larger than `mostInlineBytes`, the data of large tensors go to
/// PATH.data. All data must be in memory.
void writeModelProto(onnx::ModelProto model, const std::filesystem::path &path, int64_t mostInlineBytes);

/// Calls `visit` on every tensor of the graph: initializers, attributes, and those of graphs in attributes.
void forEachTensor(onnx::GraphProto &graph, const std::function<void(onnx::TensorProto &)> &visit);

} // namespace partyline
