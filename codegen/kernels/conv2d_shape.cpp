//===- conv2d_shape.cpp - the geometry of a convolution -------------------===//
#include "codegen/kernels/conv2d_shape.h"
#include "runtime/shared/error.h"

namespace partyline::kernels {

bool Conv2dShape::isPointwise() const {
  return kernelH == 1 && kernelW == 1 && groups == 1 && padTop == 0 && padLeft == 0 &&
         (outHeight - 1) * strideH < inHeight && (outWidth - 1) * strideW < inWidth;
}

bool Conv2dShape::isDensePointwise() const {
  return isPointwise() && strideH == 1 && strideW == 1 && inHeight == outHeight && inWidth == outWidth;
}

std::vector<Halide::Expr> Conv2dShape::inputPixel(const Halide::Expr &row) const {
  if (isDensePointwise())
    return {row, 0, 0};
  return {row % outWidth * strideW, row / outWidth % outHeight * strideH, row / (outWidth * outHeight)};
}

std::vector<std::string> Conv2dShape::parameterNames() {
  return {"in_channels", "in_height", "in_width", "out_channels", "out_height", "out_width",  "kernel_h", "kernel_w",
          "stride_h",    "stride_w",  "pad_top",  "pad_left",     "dilation_h", "dilation_w", "groups"};
}

Conv2dShape Conv2dShape::read(const Parameters &parameters) {
  const auto positive = [&](const std::string &name) {
    const int value = parameters.integer(name);
    if (value < 1)
      throw inputError("parameter '" + name + "' must be 1 or more");
    return value;
  };
  Conv2dShape shape;
  shape.inChannels = positive("in_channels");
  shape.inHeight = positive("in_height");
  shape.inWidth = positive("in_width");
  shape.outChannels = positive("out_channels");
  shape.outHeight = positive("out_height");
  shape.outWidth = positive("out_width");
  shape.kernelH = positive("kernel_h");
  shape.kernelW = positive("kernel_w");
  shape.strideH = positive("stride_h");
  shape.strideW = positive("stride_w");
  shape.dilationH = positive("dilation_h");
  shape.dilationW = positive("dilation_w");
  shape.padTop = parameters.integer("pad_top");
  shape.padLeft = parameters.integer("pad_left");
  shape.groups = positive("groups");
  if (shape.inChannels % shape.groups || shape.outChannels % shape.groups)
    throw inputError("groups must divide the channels");
  return shape;
}

} // namespace partyline::kernels
