//===- ir/convolution.h - what convolution and its transpose share --------===//
#pragma once

#include "ir/op_helpers.h"

namespace partyline {

/// A convolution's attributes.
struct Convolution {
  llvm::ArrayRef<int64_t> strides, pads, dilations;
  int64_t groups;
};

/// Of an op, or of an op's adaptor.
template <typename ConvLikeOp> Convolution convolutionOf(ConvLikeOp op) {
  return {op.getStrides(), op.getPads(), op.getDilations(), int64_t(op.getGroups())};
}

/// The type of what a convolution makes of `input`; fails, with an error, where weight, groups and input do not fit.
mlir::FailureOr<mlir::RankedTensorType> convolvedType(std::optional<mlir::Location> location,
                                                      const Convolution &convolution, mlir::RankedTensorType input,
                                                      mlir::RankedTensorType weight, bool channelsLast);

/// Whether a channels-last convolution of `input` with `weight` makes `output`.
mlir::LogicalResult verifyConvolved(mlir::Operation *op, const Convolution &convolution, mlir::RankedTensorType input,
                                    mlir::RankedTensorType weight, mlir::RankedTensorType output);

/// The compile-time parameters of the convolution families. Shapes are channels-last; the weight is [kh, kw, C/g, O].
KernelSpec convolutionKernel(llvm::StringRef family, const Convolution &convolution, mlir::RankedTensorType input,
                             mlir::RankedTensorType weight, mlir::RankedTensorType output);

/// Multiply-adds of a convolution: every output element takes one window of every channel in its group.
OpCost convolutionCost(mlir::RankedTensorType weight, mlir::RankedTensorType output);

} // namespace partyline
