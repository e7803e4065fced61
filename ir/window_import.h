//===- ir/window_import.h - ONNX nodes with a sliding window --------------===//
//
// Ops slide windows over images. A node over one axis, or over three of which the window moves along two at most, is
// seen as one over an image: [N, C, L] as a single row, and axes along which nothing happens are taken together.
// (torch.nn.LocalResponseNorm is exported as such a mean over three axes.)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/op_helpers.h"

namespace partyline {

/// Attribute `name` of a node with a window, where it has it: `count` values from `least` on. Refuses others.
std::optional<std::vector<int64_t>> importWindowValues(OnnxNodeImporter &importer, const std::string &name,
                                                       size_t count, int64_t least);

/// The window of an ONNX Conv or pooling node, from kernel_shape, strides, dilations, pads, auto_pad (resolved for the
/// input's size) and ceil_mode, and its input as an image. Refuses the node where there is no such view.
class WindowImport {
public:
  /// `kernel`: the extents of a convolution's weight; nothing for pooling, which treats every channel alike.
  WindowImport(OnnxNodeImporter &importer, mlir::Value input,
               std::optional<llvm::ArrayRef<int64_t>> kernel = std::nullopt);

  mlir::Value image() const { return input; } ///< [N, C, H, W]
  const Window &window() const { return slid; }
  llvm::SmallVector<int64_t, 2> kernel() const { return {slid.kernelH, slid.kernelW}; }
  llvm::SmallVector<int64_t, 2> strides() const { return {slid.strideH, slid.strideW}; }
  llvm::SmallVector<int64_t, 2> dilations() const { return {slid.dilationH, slid.dilationW}; }
  llvm::SmallVector<int64_t, 4> pads() const { return {slid.padTop, slid.padLeft, slid.padBottom, slid.padRight}; }

  /// The op's output on the image, as the node's output: of the input's rank.
  mlir::Value restored(mlir::Value output) const;

private:
  struct Axis {
    int64_t extent, kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;

    bool isIdle() const { return kernel == 1 && stride == 1 && before == 0 && after == 0; }
  };
  llvm::SmallVector<Axis> importAxes(std::optional<llvm::ArrayRef<int64_t>> kernel) const;
  void mergeAxes(llvm::SmallVector<Axis> &axes, bool perChannel);

  OnnxNodeImporter &importer;
  mlir::Value input;
  Window slid;
  llvm::SmallVector<int64_t> inputShape, outputShape; ///< the node's own, the output's but for its channels
};

} // namespace partyline
