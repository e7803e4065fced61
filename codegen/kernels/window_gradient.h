//===- window_gradient.h - weight gradients of convolutions, tiled --------===//
#pragma once

#include "codegen/kernels/candidate.h"
#include "codegen/kernels/conv2d_shape.h"

namespace partyline::kernels {

struct WindowGradient {
  Conv2dShape shape;
  Halide::Expr accumulate;
  Halide::ImageParam x, dy, old; ///< innermost first: channel, x, y, image; and `old` as dw
  Candidate candidate;
};

/// dw in dimensions (out channel, in channel of the group, x, y): the sum over all windows of x times dy, added to
/// `old` if `accumulate`.
Halide::Func windowGradient(const WindowGradient &gradient, const Halide::Target &target);

} // namespace partyline::kernels
