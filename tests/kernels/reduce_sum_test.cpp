//===- reduce_sum_test.cpp - sums over some dimensions --------------------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

const std::vector<std::string> patterns = {"k", "r", "rk", "kr", "rkr", "krk", "rkrk", "krkr"};

std::vector<int> keptOf(const std::string &pattern, const std::vector<int> &shape) {
  std::vector<int> kept;
  for (size_t d = 0; d < shape.size(); ++d)
    if (pattern[d] == 'k')
      kept.push_back(shape[d]);
  return kept;
}

/// The sums, and the sums of magnitudes that a rounding error is measured against.
void reference(const std::string &pattern, const Tensor &x, std::vector<double> &sums,
               std::vector<double> &magnitudes) {
  std::vector<int> index(pattern.size(), 0);
  for (size_t i = 0; i < x.size(); ++i) {
    size_t place = 0;
    for (size_t d = 0; d < pattern.size(); ++d)
      if (pattern[d] == 'k')
        place = place * x.shape()[d] + index[d];
    sums[place] += x[i];
    magnitudes[place] += std::abs(x[i]);
    for (size_t d = pattern.size(); d-- > 0 && ++index[d] == x.shape()[d];)
      index[d] = 0;
  }
}

TEST(ReduceSum, MatchesLoops) {
  std::vector<KernelSpec> specs;
  for (const std::string &pattern : patterns)
    specs.push_back({"reduce_sum", {{"pattern", pattern}}});
  KernelLibrary library(specs);
  std::mt19937 generator(5);
  for (size_t k = 0; k < patterns.size(); ++k) {
    SCOPED_TRACE(patterns[k]);
    const int rank = static_cast<int>(patterns[k].size());
    for (int trial = 0; trial < 60; ++trial) {
      std::vector<int> shape(rank);
      for (int &extent : shape)
        extent = 1 + generator() % (trial % 3 == 0 ? 4 : 40);
      if (trial % 5 == 4) // one long dimension, the others short
        for (int d = 0, longest = generator() % rank; d < rank; ++d)
          shape[d] = d == longest ? 1000 + generator() % 30000 : 1 + generator() % 3;
      SCOPED_TRACE(::testing::PrintToString(shape));
      Tensor x = Tensor::random(shape, generator, trial % 2 ? -1 : 0, 1);
      const std::vector<int> kept = keptOf(patterns[k], shape);
      Tensor y(kept);
      std::vector<double> sums(y.size(), 0), magnitudes(y.size(), 0);
      reference(patterns[k], x, sums, magnitudes);
      setThreads(1);
      library.run(k, {0.5f, 0}, {&x, &y, &y}); // over NaN
      for (size_t i = 0; i < y.size(); ++i)
        ASSERT_NEAR(y[i], 0.5 * sums[i], 1e-6 * magnitudes[i]) << "element " << i;

      Tensor again(kept);
      setThreads(3);
      library.run(k, {0.5f, 0}, {&x, &again, &again});
      ASSERT_EQ(std::memcmp(again.data<float>(), y.data<float>(), y.size() * sizeof(float)), 0)
          << "three threads give other bits than one";
      library.run(k, {-0.5f, 1}, {&x, &again, &again});
      for (size_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(again[i], 0) << "element " << i;
    }
  }
  setThreads(1);
}

// One running total of a million times 0.1 would be 100958.34, one percent away from the truth.
TEST(ReduceSum, LongSumsKeepTheirDigits) {
  KernelLibrary library({{"reduce_sum", {{"pattern", std::string("r")}}},
                         {"reduce_sum", {{"pattern", std::string("rk")}}},
                         {"reduce_sum", {{"pattern", std::string("kr")}}}});
  constexpr int length = 1000003;
  const double expected = double(0.1f) * length;
  Tensor x({length});
  x.fill(0.1f);
  Tensor y({});
  library.run(0, {1.0f, 0}, {&x, &y, &y});
  EXPECT_NEAR(y[0], expected, 4e-6 * expected);
  Tensor columns({length, 2}), sums({2});
  columns.fill(0.1f);
  library.run(1, {1.0f, 0}, {&columns, &sums, &sums});
  EXPECT_NEAR(sums[0], expected, 4e-6 * expected);
  EXPECT_NEAR(sums[1], expected, 4e-6 * expected);
  Tensor rows({2, length});
  rows.fill(0.1f);
  library.run(2, {1.0f, 0}, {&rows, &sums, &sums});
  EXPECT_NEAR(sums[0], expected, 4e-6 * expected);
  EXPECT_NEAR(sums[1], expected, 4e-6 * expected);
}

} // namespace
