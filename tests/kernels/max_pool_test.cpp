//===- max_pool_test.cpp - max pooling and its gradient -------------------===//
#include "tests/kernels/pool_reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

const float infinity = std::numeric_limits<float>::infinity();

std::vector<KernelSpec> bothOf(const Pool &pool, int indexBits) {
  auto parameters = pool.parameters();
  parameters["index_bits"] = int64_t(indexBits);
  return {{"max_pool", parameters}, {"max_pool_gradient", parameters}};
}

TEST(MaxPool, MatchesLoops) {
  std::mt19937 generator(6);
  const std::vector<Pool> pools = poolCases(generator, 8);
  std::vector<KernelSpec> specs;
  for (size_t i = 0; i < pools.size(); ++i)
    for (const KernelSpec &spec : bothOf(pools[i], i % 2 ? 16 : 8))
      specs.push_back(spec);
  KernelLibrary library(specs);
  for (size_t i = 0; i < pools.size(); ++i) {
    const Pool &pool = pools[i];
    SCOPED_TRACE(pool.text());
    for (int samples : {1, 3}) {
      // Few different values: ties are common, and the first must win.
      Tensor x(pool.inShape(samples));
      for (size_t j = 0; j < x.size(); ++j)
        x[j] = static_cast<float>(generator() % 5) - 2;
      Tensor y(pool.outShape(samples)), index(pool.outShape(samples), i % 2 ? ElementType::uint16 : ElementType::uint8);
      Tensor dy = Tensor::random(pool.outShape(samples), generator), dx(pool.inShape(samples));
      std::vector<double> gradient(x.size(), 0);
      setThreads(samples);
      library.run(2 * i, {}, {&x, &y, &index});
      library.run(2 * i + 1, {}, {&dy, &index, &dx});
      pool.eachWindow(samples, [&](int n, int oy, int ox, int c) {
        float best = -infinity;
        int bestElement = 0, bestPixel = -1;
        pool.eachElement(oy, ox, [&](int ky, int kx, int iy, int ix) {
          if (pool.isInside(iy, ix) && x.at({n, iy, ix, c}) > best) {
            best = x.at({n, iy, ix, c});
            bestElement = ky * pool.kernelW + kx;
            bestPixel = ((n * pool.inHeight + iy) * pool.inWidth + ix) * pool.channels + c;
          }
        });
        const int element = i % 2 ? index.at<uint16_t>({n, oy, ox, c}) : index.at<uint8_t>({n, oy, ox, c});
        ASSERT_EQ(y.at({n, oy, ox, c}), best);
        ASSERT_EQ(element, bestElement);
        if (bestPixel >= 0)
          gradient[bestPixel] += dy.at({n, oy, ox, c});
      });
      expectClose(dx, gradient, 1e-6, "gradient");
    }
  }
  setThreads(1);
}

//  x:  1 5 2        windows 2x2, stride 1:  5 5     index:  1 0     dy:  1 2    dx:  0 3 0
//      5 3 4                                9 9             3 2          3 4         0 0 0
//      0 9 9                                                                         0 7 0
// The window at the upper left has 5 twice; the one in row 0 is the first. At the lower right the first 9 is.
TEST(MaxPool, ByHand) {
  Pool pool{1, 3, 3, 2, 2, 1, 1};
  pool.infer();
  KernelLibrary library(bothOf(pool, 8));
  Tensor x({1, 3, 3, 1}, {1, 5, 2, 5, 3, 4, 0, 9, 9}), y({1, 2, 2, 1}), index({1, 2, 2, 1}, ElementType::uint8);
  Tensor dy({1, 2, 2, 1}, {1, 2, 3, 4}), dx({1, 3, 3, 1});
  library.run(0, {}, {&x, &y, &index});
  library.run(1, {}, {&dy, &index, &dx});
  expectClose(y, {5, 5, 9, 9}, 0, "maxima");
  const uint8_t expected[] = {1, 0, 3, 2};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(index.data<uint8_t>()[i], expected[i]);
  expectClose(dx, {0, 3, 0, 0, 0, 0, 0, 7, 0}, 0, "gradient");

  // All of a window -infinity: index 0. NaN wins.
  Tensor odd({1, 3, 3, 1}, {-infinity, -infinity, 1, -infinity, -infinity, NAN, 2, 3, 4});
  library.run(0, {}, {&odd, &y, &index});
  EXPECT_EQ(y[0], -infinity);
  EXPECT_EQ(index.data<uint8_t>()[0], 0);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], 3);
  EXPECT_TRUE(std::isnan(y[3]));
}

} // namespace
