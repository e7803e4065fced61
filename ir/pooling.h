//===- ir/pooling.h - what the pooling ops share --------------------------===//
#pragma once

#include "ir/op_helpers.h"

namespace partyline {

/// The window of a pooling op from its attributes.
template <typename PoolOp> Window poolWindow(PoolOp op) {
  llvm::ArrayRef<int64_t> kernel = op.getKernel(), strides = op.getStrides(), pads = op.getPads();
  return {kernel[0], kernel[1], strides[0], strides[1], 1, 1, pads[0], pads[1], pads[2], pads[3]};
}

/// The output's type of a pooling window over `input`, or failure where none fits.
mlir::FailureOr<mlir::RankedTensorType> pooledType(mlir::RankedTensorType input, const Window &window,
                                                   bool channelsLast);

/// The compile-time parameters of the pooling families, shapes channels-last.
KernelSpec poolKernel(llvm::StringRef family, const Window &window, mlir::RankedTensorType input,
                      mlir::RankedTensorType output);

} // namespace partyline
