//===- tiled_convolution.h - sums over windows, tiled for registers -------===//
//
// What the convolution and its input gradient share: both gather, for every pixel of an image, products of an image's
// window with weights. They differ in how windows lie (window_axis.h) and in which way the weights are read.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/candidate.h"
#include "codegen/kernels/window_axis.h"

#include <Halide.h>

#include <functional>

namespace partyline::kernels {

struct TiledConvolution {
  using Expr = Halide::Expr;
  WindowAxis x, y;
  int groups;
  int outPerGroup; ///< channels
  int inPerGroup;  ///< channels that one output channel sums over
  Expr images;
  std::function<Expr(Expr channel, Expr x, Expr y, Expr image)> input;
  std::function<Expr(Expr group, Expr out, Expr in, Expr tapX, Expr tapY)> weight; ///< channels within the group
  bool weightsContiguousIn = false;                                                ///< along `in`, not along `out`
  std::function<Expr(Expr channel)> bias;
  Candidate candidate;
};

/// The result in dimensions (channel, x, y, image).
Halide::Func tiledConvolution(const TiledConvolution &convolution, const Halide::Target &target);

/// Whether groups are so narrow that neighbouring lanes of a vector belong to different ones (depthwise: always). Then
/// the input is spread so that lanes meet it as a vector; otherwise it is broadcast.
bool isLanewise(int groups, int outPerGroup, const Halide::Target &target);

} // namespace partyline::kernels
