//===- conv2d_test.cpp - convolutions against plain loops in double -------===//
//
// Every geometry is three kernels: forward, input gradient, weight gradient. All geometries of a test are compiled by
// one run of the generator.
//
//===----------------------------------------------------------------------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

namespace partyline::kernels::test {

namespace {

struct Geometry {
  int ci, h, w, co, ho, wo;
  int kh = 1, kw = 1, sh = 1, sw = 1, dh = 1, dw = 1, top = 0, left = 0, groups = 1;
  bool bias = false;

  std::map<std::string, KernelSpec::Parameter> parameters() const {
    const std::vector<std::pair<std::string, int>> values = {
        {"in_channels", ci}, {"in_height", h},   {"in_width", w},  {"out_channels", co}, {"out_height", ho},
        {"out_width", wo},   {"kernel_h", kh},   {"kernel_w", kw}, {"stride_h", sh},     {"stride_w", sw},
        {"dilation_h", dh},  {"dilation_w", dw}, {"pad_top", top}, {"pad_left", left},   {"groups", groups}};
    std::map<std::string, KernelSpec::Parameter> result;
    for (const auto &[name, value] : values)
      result[name] = int64_t(value);
    return result;
  }

  std::string text() const {
    std::string result;
    for (const auto &[name, value] : parameters())
      result += name + "=" + std::to_string(std::get<int64_t>(value)) + " ";
    return result;
  }

  /// Calls visit for every product that a convolution makes: places in x, w and y.
  void forEachProduct(int images, const std::function<void(size_t, size_t, size_t)> &visit) const {
    const int cpg = ci / groups, opg = co / groups;
    for (int n = 0; n < images; ++n)
      for (int oy = 0; oy < ho; ++oy)
        for (int ox = 0; ox < wo; ++ox)
          for (int ky = 0; ky < kh; ++ky)
            for (int kx = 0; kx < kw; ++kx) {
              const int iy = oy * sh - top + ky * dh, ix = ox * sw - left + kx * dw;
              if (iy < 0 || iy >= h || ix < 0 || ix >= w)
                continue;
              for (int c = 0; c < cpg; ++c)
                for (int o = 0; o < co; ++o)
                  visit(((size_t(n) * h + iy) * w + ix) * ci + o / opg * cpg + c,
                        ((size_t(ky) * kw + kx) * cpg + c) * co + o, ((size_t(n) * ho + oy) * wo + ox) * co + o);
            }
  }
};

std::vector<KernelSpec> specifications(const std::vector<Geometry> &geometries, int64_t candidate = 0) {
  std::vector<KernelSpec> kernels;
  for (const Geometry &g : geometries) {
    auto forward = g.parameters();
    forward["bias"] = int64_t(g.bias);
    kernels.push_back({"conv2d", forward});
    kernels.push_back({"conv2d_input_gradient", g.parameters()});
    kernels.push_back({"conv2d_weight_gradient", g.parameters()});
  }
  if (candidate)
    for (KernelSpec &kernel : kernels)
      kernel.parameters["candidate"] = candidate;
  return kernels;
}

struct Results {
  std::vector<double> y, dx, dw;
};

Results exactResults(const Geometry &g, int images, const Tensor &x, const Tensor &w, const Tensor &dy) {
  Results exact{std::vector<double>(dy.size()), std::vector<double>(x.size()), std::vector<double>(w.size())};
  g.forEachProduct(images, [&](size_t ix, size_t iw, size_t iy) {
    exact.y[iy] += double(x[ix]) * w[iw];
    exact.dx[ix] += double(dy[iy]) * w[iw];
    exact.dw[iw] += double(x[ix]) * dy[iy];
  });
  return exact;
}

/// Rounding of a sum of `terms` products of numbers below 1.
double tolerance(double terms) { return 2e-6 * std::sqrt(terms) + 1e-6; }

void check(const KernelLibrary &library, size_t kernel, const Geometry &g, int images, std::mt19937 &generator) {
  SCOPED_TRACE(g.text() + "images=" + std::to_string(images));
  const int cpg = g.ci / g.groups, opg = g.co / g.groups;
  Tensor x = Tensor::random({images, g.h, g.w, g.ci}, generator);
  Tensor w = Tensor::random({g.kh, g.kw, cpg, g.co}, generator);
  Tensor bias = Tensor::random({g.co}, generator);
  Tensor dy = Tensor::random({images, g.ho, g.wo, g.co}, generator);
  Tensor y(dy.shape()), dx(x.shape()), dw(w.shape());
  Results expected = exactResults(g, images, x, w, dy);
  if (g.bias)
    for (size_t i = 0; i < expected.y.size(); ++i)
      expected.y[i] += bias[i % g.co];

  std::vector<Tensor *> buffers = {&x, &w, &y};
  if (g.bias)
    buffers.insert(buffers.begin() + 2, &bias);
  library.run(kernel, {}, buffers);
  expectClose(y, expected.y, tolerance(cpg * g.kh * g.kw), "forward");
  library.run(kernel + 1, {}, {&dy, &w, &dx});
  expectClose(dx, expected.dx, tolerance(opg * g.kh * g.kw), "input gradient");
  library.run(kernel + 2, {0}, {&x, &dy, &dw, &dw});
  expectClose(dw, expected.dw, tolerance(double(images) * g.ho * g.wo), "weight gradient over NaN");

  Tensor once = dw;
  setThreads(3);
  library.run(kernel + 2, {1}, {&x, &dy, &dw, &dw});
  setThreads(1);
  library.run(kernel + 2, {1}, {&x, &dy, &once, &once});
  EXPECT_TRUE(std::equal(dw.data<float>(), dw.data<float>() + dw.size(), once.data<float>()))
      << "the result depends on the number of threads";
  for (double &value : expected.dw)
    value *= 2;
  expectClose(dw, expected.dw, tolerance(2.0 * images * g.ho * g.wo), "weight gradient added");
}

void checkAll(const std::vector<Geometry> &geometries, const std::vector<int> &images, uint32_t seed,
              int64_t candidate = 0) {
  KernelLibrary library(specifications(geometries, candidate));
  SCOPED_TRACE("candidate " + std::to_string(candidate));
  std::mt19937 generator(seed);
  for (size_t i = 0; i < geometries.size(); ++i)
    for (int n : images)
      check(library, 3 * i, geometries[i], n, generator);
}

/// Anything that is a convolution at all: windows may hang over the image, miss parts of it, or lie outside.
Geometry randomGeometry(std::mt19937 &generator) {
  const auto pick = [&](int low, int high) { return low + static_cast<int>(generator() % (high - low + 1)); };
  Geometry g{};
  g.groups = pick(0, 2) ? 1 : pick(2, 9);
  g.ci = g.groups * pick(1, g.groups == 1 ? 20 : 3);
  g.co = g.groups * pick(1, g.groups == 1 ? 40 : 9);
  const auto axis = [&](int &in, int &out, int &kernel, int &stride, int &dilation, int &pad) {
    in = pick(1, 13);
    kernel = pick(1, 5);
    stride = pick(1, 3);
    dilation = pick(0, 3) ? 1 : 2;
    pad = pick(0, kernel);
    const int room = in + pad + pick(-1, kernel) - dilation * (kernel - 1) - 1;
    out = room < 0 ? 1 : room / stride + 1;
  };
  axis(g.h, g.ho, g.kh, g.sh, g.dh, g.top);
  axis(g.w, g.wo, g.kw, g.sw, g.dw, g.left);
  g.bias = pick(0, 1);
  return g;
}

} // namespace

TEST(Conv2d, HandWorkedDepthwiseStride2) {
  // 24 channels of a 6x6 image of ones, 3x3 windows at stride 2 from -1: three windows a side. Tap 0 of the first
  // window lies outside, so it meets 2 of 3 windows a side, the others 3.
  Geometry g{24, 6, 6, 24, 3, 3, 3, 3, 2, 2};
  g.top = g.left = 1;
  g.groups = 24;
  KernelLibrary library(specifications({g}));
  Tensor x({1, 6, 6, 24}), dy({1, 3, 3, 24}), dw({3, 3, 1, 24});
  x.fill(1);
  dy.fill(1);
  library.run(2, {0}, {&x, &dy, &dw, &dw});
  const double channel[3][3] = {{4, 6, 6}, {6, 9, 9}, {6, 9, 9}};
  std::vector<double> expected;
  for (int tap = 0; tap < 9; ++tap)
    expected.insert(expected.end(), 24, channel[tap / 3][tap % 3]);
  expectClose(dw, expected, 0, "dw");
}

TEST(Conv2d, HandWorkedUntouchedRows) {
  // One channel, 1x1 at stride 2 over 4x4: pixels in odd rows and columns meet no window and have gradient 0.
  KernelLibrary library(specifications({{1, 4, 4, 1, 2, 2, 1, 1, 2, 2}}));
  Tensor dy({1, 2, 2, 1}, {1, 2, 3, 4}), w({1, 1, 1, 1}, {10}), dx({1, 4, 4, 1});
  library.run(1, {}, {&dy, &w, &dx});
  expectClose(dx, {10, 0, 20, 0, 0, 0, 0, 0, 30, 0, 40, 0, 0, 0, 0, 0}, 0, "dx");
}

TEST(Conv2d, LayersOfNetworks) {
  // {ci, h, w, co, ho, wo, kh, kw, sh, sw, dh, dw, top, left, groups, bias}
  checkAll(
      {
          {1, 28, 28, 6, 28, 28, 5, 5, 1, 1, 1, 1, 2, 2, 1, true},    // LeNet's first
          {3, 32, 32, 16, 16, 16, 7, 7, 2, 2, 1, 1, 3, 3},            // ResNet's first
          {16, 16, 16, 32, 8, 8, 3, 3, 2, 2, 1, 1, 1, 1},             // its strided one
          {16, 16, 16, 32, 8, 8, 1, 1, 2, 2},                         // and the shortcut beside
          {64, 7, 7, 64, 7, 7, 3, 3, 1, 1, 1, 1, 1, 1},               // whole tiles of channels
          {24, 9, 9, 17, 9, 9, 1, 1, 1, 1, 1, 1, 0, 0, 1, true},      // a matrix product
          {20, 10, 10, 20, 10, 10, 3, 3, 1, 1, 1, 1, 1, 1, 20, true}, // depthwise
          {6, 11, 9, 18, 6, 5, 3, 3, 2, 2, 1, 1, 1, 1, 6},            // with a channel multiplier
          {48, 6, 6, 32, 6, 6, 3, 3, 1, 1, 1, 1, 1, 1, 4},            // groups as wide as vectors
          {256, 24, 24, 8, 24, 24, 3, 3, 1, 1, 1, 1, 1, 1},           // several blocks of rows
      },
      {1, 3}, 1);
}

TEST(Conv2d, AwkwardGeometries) {
  checkAll(
      {
          {3, 2, 2, 5, 1, 1, 5, 5, 1, 1, 1, 1, 1, 2},          // kernel larger than the image
          {4, 5, 5, 3, 8, 8, 2, 2, 2, 2, 1, 1, 6, 6},          // windows wholly in the padding
          {2, 9, 8, 4, 2, 2, 3, 2, 3, 3, 2, 2, 0, 1, 1, true}, // the image is not covered
          {10, 1, 1, 10, 1, 1, 3, 3, 1, 1, 1, 1, 1, 1, 2},     // a single pixel
          {5, 7, 7, 7, 3, 4, 3, 3, 2, 2, 2, 2, 1, 2},          // stride and dilation share a factor
          {4, 6, 12, 4, 2, 2, 3, 3, 4, 5, 1, 1, 1, 0, 4},      // strides beyond the kernel
          {12, 5, 5, 12, 5, 5, 1, 1, 1, 1, 1, 1, 0, 0, 3},     // grouped 1x1
          {8, 5, 5, 8, 4, 4, 3, 3, 1, 1, 1, 1, -1, 1},         // cropped at the top
      },
      {1, 2}, 2);
}

TEST(Conv2d, OtherCandidates) {
  for (int64_t candidate : {1, 2, 5}) // other blocks, another tile, both
    checkAll(
        {
            {12, 9, 10, 40, 9, 10, 3, 3, 1, 1, 1, 1, 1, 1, 1, true},
            {24, 9, 9, 17, 9, 9, 1, 1, 1, 1, 1, 1, 0, 0, 1, true}, // a matrix product
            {16, 8, 8, 32, 4, 4, 1, 1, 2, 2},                      // of some of the pixels
            {5, 7, 7, 7, 3, 4, 3, 3, 2, 2, 2, 2, 1, 2},            // the gradient in phases
            {20, 10, 10, 20, 10, 10, 3, 3, 1, 1, 1, 1, 1, 1, 20},  // depthwise
            {2, 1, 1, 1, 1, 1},                                    // of one tile there is no second
        },
        {1, 3}, uint32_t(candidate), candidate);
}

TEST(Conv2d, Winograd) {
  // 3x3 windows at stride 1, which tiles of 2x2 pixels cover.
  checkAll(
      {
          {16, 12, 9, 24, 12, 9, 3, 3, 1, 1, 1, 1, 1, 1, 1, true}, // half a tile behind the last column
          {9, 13, 11, 13, 11, 9, 3, 3, 1, 1, 1, 1, 0, 0, 1, true}, // no padding, channels that fill no vector
          {24, 9, 10, 8, 11, 12, 3, 3, 1, 1, 1, 1, 2, 2},          // all of it
          {8, 14, 14, 16, 12, 10, 3, 3, 1, 1, 1, 1, -1, 1},        // cropped at the top, missing pixels at the right
          {16, 4, 5, 40, 4, 5, 3, 3, 1, 1, 1, 1, 1, 1},            // as small as images may be
          {72, 26, 24, 20, 26, 24, 3, 3, 1, 1, 1, 1, 1, 1},        // the weights' gradients in parts of the tiles
          {40, 8, 8, 136, 8, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1, true},  // weights larger than images
          {112, 9, 9, 176, 9, 9, 3, 3, 1, 1, 1, 1, 1, 1},          // weights' gradients in many cells
          {36, 8, 8, 51, 8, 8, 3, 3, 1, 1, 1, 1, 1, 1, 3, true},   // groups
      },
      {1, 5}, 3);
}

TEST(Conv2d, WinogradOfLongWindows) {
  checkAll(
      {
          {32, 12, 9, 40, 12, 9, 5, 5, 1, 1, 1, 1, 2, 2, 1, true}, // parts of 3 and 2 taps
          {36, 17, 17, 33, 17, 17, 1, 7, 1, 1, 1, 1, 0, 3},        // of 3, 3 and 1, along one axis
          {48, 9, 12, 32, 9, 12, 7, 1, 1, 1, 1, 1, 3, 0, 1, true}, // along the other
          {32, 8, 8, 32, 9, 8, 2, 3, 1, 1, 1, 1, 1, 1},            // one short part
          {64, 7, 7, 96, 7, 7, 5, 5, 1, 1, 1, 1, 2, 2, 2, true},   // groups
          {33, 24, 28, 32, 24, 28, 3, 1, 1, 1, 1, 1, 1, 0},        // weights' gradients in shares of the tiles
          {32, 6, 6, 400, 6, 6, 6, 6, 1, 1, 1, 1, 3, 3},           // two whole parts, weights larger than images
      },
      {1, 4}, 5);
}

TEST(Conv2d, WinogradRoundsAsSumsOverWindowsDo) {
  // Candidate 4 sums over windows. The input is positive, as behind a Relu: there differences of pixels lose most.
  Geometry g{128, 12, 12, 32, 12, 12, 3, 3};
  g.top = g.left = 1;
  const int images = 2;
  std::vector<KernelSpec> kernels = specifications({g});
  for (const KernelSpec &kernel : specifications({g}, 4))
    kernels.push_back(kernel);
  KernelLibrary library(kernels);
  std::mt19937 generator(4);
  Tensor x = Tensor::random({images, g.h, g.w, g.ci}, generator, 0, 1),
         w = Tensor::random({3, 3, g.ci, g.co}, generator);
  Tensor dy = Tensor::random({images, g.ho, g.wo, g.co}, generator), y(dy.shape()), dx(x.shape()), dw(w.shape());
  const Results exact = exactResults(g, images, x, w, dy);
  const auto squaredError = [](const Tensor &result, const std::vector<double> &exact) {
    double sum = 0;
    for (size_t i = 0; i < exact.size(); ++i)
      sum += (result[i] - exact[i]) * (result[i] - exact[i]);
    return sum;
  };
  double errors[2][3];
  for (int direct = 0; direct < 2; ++direct) {
    library.run(3 * direct, {}, {&x, &w, &y});
    library.run(3 * direct + 1, {}, {&dy, &w, &dx});
    library.run(3 * direct + 2, {0}, {&x, &dy, &dw, &dw});
    errors[direct][0] = squaredError(y, exact.y);
    errors[direct][1] = squaredError(dx, exact.dx);
    errors[direct][2] = squaredError(dw, exact.dw);
  }
  const char *names[] = {"forward", "input gradient", "weight gradient"};
  for (int i = 0; i < 3; ++i) {
    const double ratio = std::sqrt(errors[0][i] / errors[1][i]);
    RecordProperty(names[i], std::to_string(ratio));
    EXPECT_GT(errors[0][i], 0) << names[i];
    EXPECT_NE(ratio, 1) << names[i] << ": the same algorithm twice";
    EXPECT_LT(ratio, 2) << names[i];
    std::cout << names[i] << ": error over that of a sum over windows " << ratio << "\n";
  }
}

TEST(Conv2d, RandomGeometries) {
  const char *given = std::getenv("PARTYLINE_SEED");
  const uint32_t seed = given ? std::strtoul(given, nullptr, 10) : 20;
  SCOPED_TRACE("PARTYLINE_SEED=" + std::to_string(seed));
  std::mt19937 generator(seed);
  std::vector<Geometry> geometries;
  for (int i = 0; i < 12; ++i)
    geometries.push_back(randomGeometry(generator));
  checkAll(geometries, {1, 4}, seed);
}

TEST(Conv2d, ArmObjectsNeedOnlyTheWorker) {
  const auto kernels = specifications(
      {{6, 8, 8, 16, 4, 4, 3, 3, 2, 2, 1, 1, 1, 1, 1, true}, {16, 8, 8, 16, 8, 8, 3, 3, 1, 1, 1, 1, 1, 1, 16}});
  EXPECT_EQ(foreignSymbols(kernels, "arm-64-linux"), std::vector<std::string>{});
  EXPECT_EQ(foreignSymbols({kernels[0]}, "arm-64-android"), std::vector<std::string>{});
}

} // namespace partyline::kernels::test
