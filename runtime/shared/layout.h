//===- layout.h - tensors between ONNX order and the arena's order --------===//
//
// The worker keeps some tensors reshaped and transposed (see Layout in manifest.h). Checkpoints, exports and datasets
// speak ONNX order; these two functions are each other's inverse.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/shared/manifest.h"

namespace partyline {

/// The number of elements of a shape. Throws an Error on a negative extent or where the product exceeds int64_t.
int64_t elementCount(const std::vector<int64_t> &shape);

/// Throws an Error naming `name` unless `layout` is empty, or its view has as many elements as `shape` and its
/// permutation names every dimension of the view once. For layouts that come from a file.
void checkLayout(const std::string &name, const std::vector<int64_t> &shape, const Layout &layout);

/// Writes a tensor given in ONNX order in the order of `layout`. The layout must have passed checkLayout.
void storeInLayout(const float *onnx, const std::vector<int64_t> &shape, const Layout &layout, float *stored);

/// The inverse of storeInLayout.
void loadFromLayout(const float *stored, const std::vector<int64_t> &shape, const Layout &layout, float *onnx);

} // namespace partyline
