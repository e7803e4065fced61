//===- conv2d.cpp - y[N,Ho,Wo,Co] = x[N,H,W,Ci] * w[kh,kw,Ci/groups,Co] + bias
#include "codegen/kernels/buffers.h"
#include "codegen/kernels/conv2d_shape.h"
#include "codegen/kernels/matrix_product.h"
#include "codegen/kernels/winograd.h"

namespace partyline::kernels {

using namespace Halide;

namespace conv2d_family {

Kernel buildConv2d(const Parameters &parameters, const Target &target) {
  const Conv2dShape s = Conv2dShape::read(parameters);
  ImageParam x = denseInput("x", {s.inChannels, s.inWidth, s.inHeight, 0});
  ImageParam w = denseInput("w", {s.outChannels, s.inPerGroup(), s.kernelW, s.kernelH});
  ImageParam bias = denseInput("bias", {s.outChannels});
  Kernel kernel{{x, w}, {}};
  std::function<Expr(Expr)> addBias;
  if (parameters.integer("bias")) {
    addBias = [=](Expr c) { return bias(c); };
    kernel.arguments.push_back(bias);
  }

  Func y;
  if (s.isDensePointwise()) {
    Product product;
    product.rows = x.dim(3).extent() * (s.inWidth * s.inHeight);
    product.columns = s.outChannels;
    product.depth = s.inChannels;
    product.left = [=](Expr c, Expr pixel) { return x(c, pixel, 0, 0); };
    product.right = [=](Expr out, Expr in) { return w(out, in, 0, 0); };
    product.bias = addBias;
    product.dimensions = 4;
    product.candidate = Candidate::read(parameters);
    y = matrixProduct(product, target);
  } else {
    TiledConvolution convolution;
    convolution.x = WindowAxis::forward(s.inWidth, s.outWidth, s.kernelW, s.strideW, s.dilationW, s.padLeft);
    convolution.y = WindowAxis::forward(s.inHeight, s.outHeight, s.kernelH, s.strideH, s.dilationH, s.padTop);
    convolution.groups = s.groups;
    convolution.outPerGroup = s.outPerGroup();
    convolution.inPerGroup = s.inPerGroup();
    convolution.images = x.dim(3).extent();
    convolution.input = [=](Expr c, Expr px, Expr py, Expr n) { return x(c, px, py, n); };
    convolution.weight = [=](Expr group, Expr out, Expr in, Expr kx, Expr ky) {
      return w(group * s.outPerGroup() + out, in, kx, ky);
    };
    convolution.bias = addBias;
    convolution.candidate = Candidate::read(parameters);
    y = convolve(convolution, target);
  }
  setDense(y.output_buffer(), {s.outChannels, s.outWidth, s.outHeight, 0});
  kernel.outputs = {y};
  return kernel;
}

std::vector<std::string> parameterNames() {
  std::vector<std::string> names = Conv2dShape::parameterNames();
  names.push_back("bias");
  return names;
}

RegisterKernel registration("conv2d", parameterNames(), buildConv2d, kCandidates);

} // namespace conv2d_family

} // namespace partyline::kernels
