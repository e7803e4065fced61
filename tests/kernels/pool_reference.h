//===- pool_reference.h - pooling windows as plain loops ------------------===//
#pragma once

#include "tests/kernels/harness.h"

#include <algorithm>

namespace partyline::kernels::test {

struct Pool {
  int channels, inHeight, inWidth, kernelH, kernelW, strideH, strideW, dilationH = 1, dilationW = 1;
  int padTop = 0, padLeft = 0, padBottom = 0, padRight = 0;
  bool isCeil = false;
  int outHeight = 0, outWidth = 0; ///< 0: as ONNX has it

  static int outExtent(int in, int pads, int kernel, int stride, int dilation, bool isCeil) {
    const int room = in + pads - (kernel - 1) * dilation - 1;
    return (isCeil ? (room + stride - 1) / stride : room / stride) + 1;
  }
  void infer() {
    if (outHeight == 0)
      outHeight = outExtent(inHeight, padTop + padBottom, kernelH, strideH, dilationH, isCeil);
    if (outWidth == 0)
      outWidth = outExtent(inWidth, padLeft + padRight, kernelW, strideW, dilationW, isCeil);
  }
  std::map<std::string, KernelSpec::Parameter> parameters() const {
    std::map<std::string, KernelSpec::Parameter> result;
    for (const auto &[name, value] : std::initializer_list<std::pair<const char *, int>>{{"channels", channels},
                                                                                         {"in_height", inHeight},
                                                                                         {"in_width", inWidth},
                                                                                         {"out_height", outHeight},
                                                                                         {"out_width", outWidth},
                                                                                         {"kernel_h", kernelH},
                                                                                         {"kernel_w", kernelW},
                                                                                         {"stride_h", strideH},
                                                                                         {"stride_w", strideW},
                                                                                         {"dilation_h", dilationH},
                                                                                         {"dilation_w", dilationW},
                                                                                         {"pad_top", padTop},
                                                                                         {"pad_left", padLeft}})
      result[name] = int64_t(value);
    return result;
  }
  std::string text() const {
    std::string result;
    for (const auto &[name, value] : parameters())
      result += name + "=" + std::to_string(std::get<int64_t>(value)) + " ";
    return result;
  }
  std::vector<int> inShape(int samples) const { return {samples, inHeight, inWidth, channels}; }
  std::vector<int> outShape(int samples) const { return {samples, outHeight, outWidth, channels}; }

  /// Calls visit(ky, kx, y, x) for every element of a window, inside the image or not.
  template <typename Visit> void eachElement(int outY, int outX, Visit visit) const {
    for (int ky = 0; ky < kernelH; ++ky)
      for (int kx = 0; kx < kernelW; ++kx)
        visit(ky, kx, outY * strideH - padTop + ky * dilationH, outX * strideW - padLeft + kx * dilationW);
  }
  template <typename Visit> void eachWindow(int samples, Visit visit) const {
    for (int n = 0; n < samples; ++n)
      for (int y = 0; y < outHeight; ++y)
        for (int x = 0; x < outWidth; ++x)
          for (int c = 0; c < channels; ++c)
            visit(n, y, x, c);
  }
  bool isInside(int y, int x) const { return y >= 0 && y < inHeight && x >= 0 && x < inWidth; }
};

/// Fixed shapes with something odd each, then random ones.
inline std::vector<Pool> poolCases(std::mt19937 &generator, int random) {
  std::vector<Pool> pools = {
      {6, 8, 8, 2, 2, 2, 2},                          // LeNet's
      {64, 9, 9, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1},       // ResNet's, overlapping
      {1, 7, 5, 3, 2, 2, 3},                          // strides that leave pixels over
      {3, 11, 6, 2, 2, 3, 3},                         // pixels between the windows
      {17, 5, 5, 5, 5, 1, 1},                         // global
      {10, 6, 7, 3, 3, 2, 2, 1, 1, 0, 0, 0, 0, true}, // the last window hangs over
      {5, 9, 10, 3, 2, 1, 2, 2, 3, 2, 1, 2, 2},       // dilated and padded
      {3, 4, 4, 2, 2, 2, 2, 1, 1, 2, 3, 2, 3},        // windows wholly in the padding
      {300, 3, 3, 2, 2, 1, 1},                        // more channels than one piece
      {2, 1, 1, 1, 1, 1, 1},
  };
  for (int i = 0; i < random; ++i) {
    Pool pool{};
    pool.channels = 1 + generator() % 20;
    pool.kernelH = 1 + generator() % 4, pool.kernelW = 1 + generator() % 4;
    pool.strideH = 1 + generator() % 4, pool.strideW = 1 + generator() % 4;
    pool.dilationH = 1 + generator() % 2, pool.dilationW = 1 + generator() % 2;
    pool.padTop = generator() % 3, pool.padLeft = generator() % 3;
    pool.padBottom = generator() % 3, pool.padRight = generator() % 3;
    pool.inHeight = (pool.kernelH - 1) * pool.dilationH + 1 + generator() % 8;
    pool.inWidth = (pool.kernelW - 1) * pool.dilationW + 1 + generator() % 8;
    pool.isCeil = generator() % 2;
    pools.push_back(pool);
  }
  for (Pool &pool : pools)
    pool.infer();
  return pools;
}

} // namespace partyline::kernels::test
