//===- dropout_test.cpp - the mask and its statistics ---------------------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

class Dropout : public ::testing::Test {
protected:
  static void SetUpTestSuite() { library = new KernelLibrary({KernelSpec{"dropout", {}}}); }
  static void TearDownTestSuite() { delete library; }

  static Tensor idsFrom(int first, int count) {
    Tensor ids({count}, ElementType::int32);
    std::iota(ids.data<int32_t>(), ids.data<int32_t>() + count, first);
    return ids;
  }

  /// 1 where kept, 0 where dropped.
  static std::vector<double> mask(float ratio, uint32_t seed, uint32_t step, uint32_t layer, int firstId, int samples,
                                  int elements) {
    Tensor x({samples, elements}), y({samples, elements}), ids = idsFrom(firstId, samples);
    x.fill(1);
    library->run(0, {ratio, seed, step, layer}, {&x, &ids, &y});
    std::vector<double> result(y.size());
    for (size_t i = 0; i < y.size(); ++i) {
      EXPECT_TRUE(y[i] == 0 || std::abs(y[i] - 1 / (1 - ratio)) < 1e-6 / (1 - ratio)) << y[i];
      result[i] = y[i] != 0;
    }
    return result;
  }

  static KernelLibrary *library;
};
KernelLibrary *Dropout::library = nullptr;

double correlation(const std::vector<double> &a, const std::vector<double> &b, size_t shift = 0) {
  const size_t n = a.size() - shift;
  double meanA = 0, meanB = 0, ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < n; ++i)
    meanA += a[i] / n, meanB += b[i + shift] / n;
  for (size_t i = 0; i < n; ++i) {
    ab += (a[i] - meanA) * (b[i + shift] - meanB);
    aa += (a[i] - meanA) * (a[i] - meanA);
    bb += (b[i + shift] - meanB) * (b[i + shift] - meanB);
  }
  return ab / std::sqrt(aa * bb);
}

TEST_F(Dropout, RateIsTheRatio) {
  constexpr int count = 400000;
  for (float ratio : {0.0f, 0.001f, 0.1f, 0.3f, 0.5f, 0.75f, 0.99f}) {
    const std::vector<double> kept = mask(ratio, 42, 7, 3, 1000, 4, count / 4);
    const double dropped = count - std::accumulate(kept.begin(), kept.end(), 0.0);
    // Four standard deviations of a binomial.
    EXPECT_NEAR(dropped, double(ratio) * count, 4 * std::sqrt(count * ratio * (1.0 - ratio))) << ratio;
  }
}

TEST_F(Dropout, NeighboursAreIndependent) {
  constexpr int samples = 32, elements = 4096, count = samples * elements;
  const double limit = 4 / std::sqrt(double(count));
  const std::vector<double> base = mask(0.5f, 42, 7, 3, 1000, samples, elements);
  EXPECT_LT(std::abs(correlation(base, mask(0.5f, 42, 8, 3, 1000, samples, elements))), limit) << "next step";
  EXPECT_LT(std::abs(correlation(base, mask(0.5f, 42, 7, 4, 1000, samples, elements))), limit) << "next layer";
  EXPECT_LT(std::abs(correlation(base, mask(0.5f, 43, 7, 3, 1000, samples, elements))), limit) << "next seed";
  // Counters that change places or differ by equal amounts are other counters.
  EXPECT_LT(std::abs(correlation(base, mask(0.5f, 42, 3, 7, 1000, samples, elements))), limit) << "step and layer";
  EXPECT_LT(std::abs(correlation(base, mask(0.5f, 41, 8, 3, 1000, samples, elements))), limit) << "seed and step";
  for (size_t shift : {1, 2, 3, 4, 7, 8, 16, 32, 64, 255, 256, elements - 1, elements, elements + 1, 2 * elements})
    EXPECT_LT(std::abs(correlation(base, base, shift)), limit) << "shifted by " << shift;

  // The number kept per sample is binomial: the chi-square statistic of 2000 samples has mean 2000, deviation 63.
  constexpr int many = 2000, few = 257;
  const std::vector<double> rows = mask(0.3f, 1, 0, 0, 0, many, few);
  double chiSquare = 0;
  for (int n = 0; n < many; ++n) {
    const double kept = std::accumulate(rows.begin() + n * few, rows.begin() + (n + 1) * few, 0.0);
    chiSquare += (kept - 0.7 * few) * (kept - 0.7 * few) / (0.3 * 0.7 * few);
  }
  EXPECT_NEAR(chiSquare, many, 4 * std::sqrt(2.0 * many));
}

TEST_F(Dropout, MaskFollowsTheSample) {
  // Whatever rank, micro-batch, place or thread a sample is in, its mask is the same.
  for (int elements : {1, 3, 10, 17, 1000, 20011}) {
    const std::vector<double> all = mask(0.4f, 5, 6, 7, 0, 6, elements);
    Tensor ids({3}, ElementType::int32), x({3, elements}), y({3, elements});
    const int chosen[] = {4, 0, 5};
    std::copy(chosen, chosen + 3, ids.data<int32_t>());
    std::mt19937 generator(12);
    x = Tensor::random({3, elements}, generator, 1, 2);
    setThreads(3);
    Tensor inPlace = x;
    library->run(0, {0.4f, 5u, 6u, 7u}, {&inPlace, &ids, &inPlace});
    setThreads(1);
    for (int n = 0; n < 3; ++n)
      for (int e = 0; e < elements; ++e) {
        const double expected = all[chosen[n] * elements + e] * x.at({n, e}) / (1 - double(0.4f));
        ASSERT_NEAR(inPlace.at({n, e}), expected, 1e-6 * expected);
      }
  }
  // A ratio of 0 changes nothing.
  std::mt19937 generator(13);
  Tensor x = Tensor::random({5, 999}, generator), y({5, 999}), ids = idsFrom(0, 5);
  library->run(0, {0.0f, 1u, 2u, 3u}, {&x, &ids, &y});
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(x[i], y[i]);
}

} // namespace
