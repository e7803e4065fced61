//===- conv2d_shape.h - the geometry of a convolution ---------------------===//
#pragma once

#include "codegen/kernels/kernel.h"

namespace partyline::kernels {

struct Conv2dShape {
  int inChannels, inHeight, inWidth;
  int outChannels, outHeight, outWidth;
  int kernelH, kernelW, strideH, strideW, dilationH, dilationW;
  int padTop, padLeft; ///< those below and on the right follow from the output's size
  int groups;

  int inPerGroup() const { return inChannels / groups; }
  int outPerGroup() const { return outChannels / groups; }

  /// A product of matrices: every pixel of the output, of all the batch, is a row.
  bool isPointwise() const;

  /// Pointwise, and every pixel of the input is one of the output.
  bool isDensePointwise() const;

  /// Of a pointwise convolution: x, y and image of the input's pixel under a pixel of the output. Where both have the
  /// same, the input is addressed as a matrix: (row, 0, 0).
  std::vector<Halide::Expr> inputPixel(const Halide::Expr &row) const;

  /// Reads the parameters below; sizes below 1 and groups that do not divide the channels are Errors.
  static Conv2dShape read(const Parameters &parameters);
  static std::vector<std::string> parameterNames();
};

} // namespace partyline::kernels
