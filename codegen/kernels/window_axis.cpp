//===- window_axis.cpp - how windows lie along one axis of an image -------===//
#include "codegen/kernels/window_axis.h"

#include <algorithm>
#include <numeric>

namespace partyline::kernels {

WindowAxis WindowAxis::forward(int input, int output, int kernel, int stride, int dilation, int pad) {
  return {input, output, 1, stride, dilation, 1, kernel, {-pad}, {kernel}, {0}};
}

WindowAxis WindowAxis::backward(int input, int output, int kernel, int stride, int dilation, int pad) {
  // dx[i] sums dy[(i + pad - k * dilation) / stride] over the taps k for which that is a whole number. Moving on by
  // tapStep taps keeps it whole and moves dy by -step.
  const int common = std::gcd(stride, dilation);
  WindowAxis axis = {output, input, stride, 1, -dilation / common, stride / common, kernel, {}, {}, {}};
  for (int phase = 0; phase < stride; ++phase) {
    int tap = 0;
    while (tap < axis.tapStep && (phase + pad - tap * dilation) % stride != 0)
      ++tap;
    const bool meets = tap < axis.tapStep && tap < kernel;
    axis.offset.push_back(meets ? (phase + pad - tap * dilation) / stride : 0);
    axis.count.push_back(meets ? (kernel - tap + axis.tapStep - 1) / axis.tapStep : 0);
    axis.firstTap.push_back(meets ? tap : 0);
  }
  return axis;
}

int WindowAxis::largestCount() const { return *std::max_element(count.begin(), count.end()); }

int WindowAxis::lowest() const {
  return *std::min_element(offset.begin(), offset.end()) + std::min(0, (largestCount() - 1) * step);
}

int WindowAxis::span() const {
  return *std::max_element(offset.begin(), offset.end()) + std::max(0, (largestCount() - 1) * step) - lowest() + 1;
}

} // namespace partyline::kernels
