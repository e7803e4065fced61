//===- conv2d_input_gradient.cpp - dx from dy and the weights -------------===//
#include "codegen/kernels/buffers.h"
#include "codegen/kernels/conv2d_shape.h"
#include "codegen/kernels/matrix_product.h"
#include "codegen/kernels/winograd.h"

namespace partyline::kernels {

using namespace Halide;

namespace conv2d_input_gradient_family {

Kernel buildInputGradient(const Parameters &parameters, const Target &target) {
  const Conv2dShape s = Conv2dShape::read(parameters);
  ImageParam dy = denseInput("dy", {s.outChannels, s.outWidth, s.outHeight, 0});
  ImageParam w = denseInput("w", {s.outChannels, s.inPerGroup(), s.kernelW, s.kernelH});

  Func dx;
  if (s.isPointwise()) {
    Product product;
    product.rows = dy.dim(3).extent() * (s.outWidth * s.outHeight);
    product.columns = s.inChannels;
    product.depth = s.outChannels;
    product.left = [=](Expr c, Expr pixel) { return dy(c, pixel, 0, 0); };
    product.right = [=](Expr in, Expr out) { return w(out, in, 0, 0); };
    product.transposed = true;
    product.dimensions = 4;
    product.candidate = Candidate::read(parameters);
    if (!s.isDensePointwise())
      product.place = [=](Expr in, Expr row) {
        const std::vector<Expr> pixel = s.inputPixel(row);
        return std::vector<Expr>{in, pixel[0], pixel[1], pixel[2]};
      };
    dx = matrixProduct(product, target);
  } else {
    TiledConvolution convolution;
    convolution.x = WindowAxis::backward(s.inWidth, s.outWidth, s.kernelW, s.strideW, s.dilationW, s.padLeft);
    convolution.y = WindowAxis::backward(s.inHeight, s.outHeight, s.kernelH, s.strideH, s.dilationH, s.padTop);
    convolution.groups = s.groups;
    convolution.outPerGroup = s.inPerGroup();
    convolution.inPerGroup = s.outPerGroup();
    convolution.images = dy.dim(3).extent();
    convolution.input = [=](Expr c, Expr px, Expr py, Expr n) { return dy(c, px, py, n); };
    convolution.weight = [=](Expr group, Expr in, Expr out, Expr kx, Expr ky) {
      return w(group * s.outPerGroup() + out, in, kx, ky);
    };
    convolution.weightsContiguousIn = true;
    convolution.candidate = Candidate::read(parameters);
    dx = convolve(convolution, target);
  }
  setDense(dx.output_buffer(), {s.inChannels, s.inWidth, s.inHeight, 0});
  return {{dy, w}, {dx}};
}

RegisterKernel registration("conv2d_input_gradient", Conv2dShape::parameterNames(), buildInputGradient, kCandidates);

} // namespace conv2d_input_gradient_family

} // namespace partyline::kernels
