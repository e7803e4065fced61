//===- window_axis.h - how windows lie along one axis of an image ---------===//
//
// The output of a convolution, or of its input gradient, at o = q * phases + p is a sum over j < count[p] of the input
// at q * stride + offset[p] + j * step, times tap firstTap[p] + j * tapStep of the kernel. Forward there is one phase.
// The input gradient of a convolution with stride s has s phases: pixels of a phase meet the same taps of the kernel,
// so that no multiplication by a stuffed zero is ever made.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <vector>

namespace partyline::kernels {

struct WindowAxis {
  int input, output;
  int phases, stride, step, tapStep, taps; ///< taps: of the whole kernel
  std::vector<int> offset, count, firstTap;

  static WindowAxis forward(int input, int output, int kernel, int stride, int dilation, int pad);
  /// From dy (`output` of the convolution) to dx (its `input`).
  static WindowAxis backward(int input, int output, int kernel, int stride, int dilation, int pad);

  int largestCount() const;
  int outputsPerPhase() const { return (output + phases - 1) / phases; }

  /// The range of input coordinates, relative to q * stride, that phases would read if all had the largest count: what
  /// bounds inference sees.
  int lowest() const;
  int span() const;
};

} // namespace partyline::kernels
