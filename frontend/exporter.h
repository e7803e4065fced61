//===- frontend/exporter.h - the user's model with trained weights --------===//
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace partyline {

/// A parameter or BatchNorm's running statistics after training, in ONNX's layout.
struct TrainedTensor {
  std::vector<int64_t> shape;
  std::vector<float> data;
};

/// No ONNX file can be larger than 2 GiB; a little room is left for what comes beside the weights.
inline constexpr int64_t kMostInlineBytes = (int64_t(1) << 31) - (int64_t(1) << 24);

/// Writes the model at `modelPath` with trained weights: the same graph, names, opset, IR version and data types.
/// BatchNormalization and Dropout are put in inference form. An Identity of a trained initializer is a parameter of
/// its own (constant_folding.h), so it becomes an initializer with the Identity's output name. Weights lie in the
/// file, or in OUT.data beside it where the model would be larger than `mostInlineBytes`.
/// Written beside and renamed. Throws Error where `trained` does not fit the model.
void exportModel(const std::filesystem::path &modelPath, const std::map<std::string, TrainedTensor> &trained,
                 const std::filesystem::path &outPath, const std::map<std::string, std::string> &metadata,
                 int64_t mostInlineBytes = kMostInlineBytes);

/// Copies a model unchanged but for its external data, which go into the file where they fit.
void copyModel(const std::filesystem::path &modelPath, const std::filesystem::path &outPath,
               int64_t mostInlineBytes = kMostInlineBytes);

} // namespace partyline
