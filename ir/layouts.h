//===- ir/layouts.h - how a weight lies in memory -------------------------===//
#pragma once

#include "runtime/shared/manifest.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace partyline {

/// The layout of a tensor of ONNX shape `shape` in the order that `layout` stores it, after the stored tensor is seen
/// under shape `seen` and transposed by `permutation` (of the dimensions of `seen`). Nothing where a dimension of `seen`
/// would cut across a stored one.
std::optional<Layout> transposedLayout(llvm::ArrayRef<int64_t> shape, const Layout &layout, llvm::ArrayRef<int64_t> seen,
                                       llvm::ArrayRef<int64_t> permutation);

} // namespace partyline
