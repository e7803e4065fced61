//===- ir/layouts.h - how a weight lies in memory -------------------------===//
#pragma once

#include "runtime/shared/manifest.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace partyline {

/// Whether these are 0, 1, ... in some order. mlir::isPermutationVector takes for granted that none lies outside.
bool isPermutation(llvm::ArrayRef<int64_t> values);

/// Whether the permutation moves only dimensions of extent 1: then the transposition is a reshape.
bool movesOnlyOnes(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> permutation);

/// The layout of a tensor of ONNX shape `shape` in the order that `layout` stores it, after the stored tensor is seen
/// under shape `seen` and transposed by `permutation` (of the dimensions of `seen`). Nothing where a dimension of `seen`
/// would cut across a stored one.
std::optional<Layout> transposedLayout(llvm::ArrayRef<int64_t> shape, const Layout &layout, llvm::ArrayRef<int64_t> seen,
                                       llvm::ArrayRef<int64_t> permutation);

} // namespace partyline
