//===- conv2d_weight_gradient.cpp - dw from x and dy, added to dw ---------===//
#include "codegen/kernels/buffers.h"
#include "codegen/kernels/conv2d_shape.h"
#include "codegen/kernels/matrix_product.h"
#include "codegen/kernels/winograd.h"

namespace partyline::kernels {

using namespace Halide;

namespace conv2d_weight_gradient_family {

Kernel buildWeightGradient(const Parameters &parameters, const Target &target) {
  const Conv2dShape s = Conv2dShape::read(parameters);
  const std::vector<int> weights = {s.outChannels, s.inPerGroup(), s.kernelW, s.kernelH};
  ImageParam x = denseInput("x", {s.inChannels, s.inWidth, s.inHeight, 0});
  ImageParam dy = denseInput("dy", {s.outChannels, s.outWidth, s.outHeight, 0});
  ImageParam old = denseInput("old", weights);
  Param<int32_t> accumulate("accumulate");

  Func dw;
  if (s.isPointwise()) {
    OuterProduct product;
    product.rows = x.dim(3).extent() * (s.outWidth * s.outHeight);
    product.columns = s.outChannels;
    product.depth = s.inChannels;
    product.left = [=](Expr c, Expr row) {
      const std::vector<Expr> pixel = s.inputPixel(row);
      return x(c, pixel[0], pixel[1], pixel[2]);
    };
    product.packLeft = !s.isDensePointwise();
    product.right = [=](Expr c, Expr pixel) { return dy(c, pixel, 0, 0); };
    product.old = [=](Expr out, Expr in) { return old(out, in, 0, 0); };
    product.accumulate = accumulate;
    product.dimensions = 4;
    product.candidate = Candidate::read(parameters);
    dw = outerProduct(product, target);
  } else {
    dw = convolveGradient({s, accumulate, x, dy, old, Candidate::read(parameters)}, target);
  }
  setDense(dw.output_buffer(), weights);
  return {{accumulate, x, dy, old}, {dw}};
}

RegisterKernel registration("conv2d_weight_gradient", Conv2dShape::parameterNames(), buildWeightGradient, kCandidates);

} // namespace conv2d_weight_gradient_family

} // namespace partyline::kernels
