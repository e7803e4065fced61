//===- average_pool_test.cpp - average pooling and its gradient -----------===//
#include "tests/kernels/pool_reference.h"

#include <gtest/gtest.h>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

std::vector<KernelSpec> bothOf(const Pool &pool, bool countsPadding) {
  auto parameters = pool.parameters();
  parameters["pad_bottom"] = int64_t(pool.padBottom);
  parameters["pad_right"] = int64_t(pool.padRight);
  parameters["count_include_pad"] = int64_t(countsPadding);
  return {{"average_pool", parameters}, {"average_pool_gradient", parameters}};
}

int divisor(const Pool &pool, bool countsPadding, int oy, int ox) {
  int count = 0;
  pool.eachElement(oy, ox, [&](int, int, int iy, int ix) {
    const bool isInPadded = iy >= -pool.padTop && iy < pool.inHeight + pool.padBottom && ix >= -pool.padLeft &&
                            ix < pool.inWidth + pool.padRight;
    count += countsPadding ? isInPadded : pool.isInside(iy, ix);
  });
  return count;
}

TEST(AveragePool, MatchesLoops) {
  std::mt19937 generator(7);
  const std::vector<Pool> pools = poolCases(generator, 8);
  std::vector<KernelSpec> specs;
  for (size_t i = 0; i < pools.size(); ++i)
    for (const KernelSpec &spec : bothOf(pools[i], i % 2))
      specs.push_back(spec);
  // The case with windows wholly in the padding, and the one that hangs over, both ways.
  KernelLibrary library(specs);
  for (size_t i = 0; i < pools.size(); ++i) {
    const Pool &pool = pools[i];
    SCOPED_TRACE(pool.text());
    for (int samples : {1, 3}) {
      Tensor x = Tensor::random(pool.inShape(samples), generator), y(pool.outShape(samples));
      Tensor dy = Tensor::random(pool.outShape(samples), generator), dx(pool.inShape(samples));
      std::vector<double> means(y.size(), 0), gradient(x.size(), 0);
      setThreads(samples);
      library.run(2 * i, {}, {&x, &y});
      library.run(2 * i + 1, {}, {&dy, &dx});
      size_t place = 0;
      pool.eachWindow(samples, [&](int n, int oy, int ox, int c) {
        const int count = divisor(pool, i % 2, oy, ox);
        pool.eachElement(oy, ox, [&](int, int, int iy, int ix) {
          if (!pool.isInside(iy, ix))
            return;
          means[place] += x.at({n, iy, ix, c}) / double(count);
          gradient[((n * pool.inHeight + iy) * pool.inWidth + ix) * pool.channels + c] +=
              dy.at({n, oy, ox, c}) / double(count);
        });
        ++place;
      });
      expectClose(y, means, 1e-6, "mean");
      expectClose(dx, gradient, 1e-6, "gradient");
    }
  }
  setThreads(1);
}

// A row 1 2 3 4 5, window 2, stride 2, one element of padding at either end, ceil_mode: the windows are (p 1) (2 3)
// (4 5) (p -), where - lies beyond the padded border. The last one is all padding: it counts 1 of its elements with
// count_include_pad, 0 without.
TEST(AveragePool, ByHand) {
  Pool pool{1, 1, 5, 1, 2, 1, 2, 1, 1, 0, 1, 0, 1, true};
  pool.infer();
  ASSERT_EQ(pool.outWidth, 4);
  std::vector<KernelSpec> specs = bothOf(pool, false), including = bothOf(pool, true);
  specs.insert(specs.end(), including.begin(), including.end());
  KernelLibrary library(specs);
  Tensor x({1, 1, 5, 1}, {1, 2, 3, 4, 5}), y({1, 1, 4, 1}), dy({1, 1, 4, 1}, {10, 20, 30, 40}), dx({1, 1, 5, 1});
  library.run(0, {}, {&x, &y});
  expectClose(y, {1, 2.5, 4.5, 0}, 0, "without padding");
  library.run(1, {}, {&dy, &dx});
  expectClose(dx, {10, 10, 10, 15, 15}, 0, "gradient without padding");
  library.run(2, {}, {&x, &y});
  expectClose(y, {0.5, 2.5, 4.5, 0}, 0, "with padding");
  library.run(3, {}, {&dy, &dx});
  expectClose(dx, {5, 10, 10, 15, 15}, 0, "gradient with padding");
}

// 4096 pixels of 0.1 lose digits in one running total.
TEST(AveragePool, GlobalKeepsItsDigits) {
  Pool pool{3, 64, 64, 64, 64, 1, 1};
  pool.infer();
  KernelLibrary library(bothOf(pool, false));
  Tensor x(pool.inShape(2)), y(pool.outShape(2));
  x.fill(0.1f);
  library.run(0, {}, {&x, &y});
  for (size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y[i], 0.1, 1e-7);
}

} // namespace
