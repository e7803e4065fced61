//===- sampler_test.cpp ---------------------------------------------------===//
#include "runtime/data/sampler.h"

#include "runtime/shared/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace partyline;
using runtime::Sampler;

static std::vector<uint32_t> orderOf(uint64_t seed, int64_t size, int64_t epoch, bool shuffle = true) {
  std::vector<uint32_t> order;
  Sampler(seed, size, shuffle).permutation(epoch, order);
  return order;
}

TEST(Sampler, IsAPermutation) {
  for (int64_t size : {0, 1, 2, 3, 17, 1000, 60000}) {
    std::vector<uint32_t> order = orderOf(5, size, 3);
    ASSERT_EQ(int64_t(order.size()), size);
    std::sort(order.begin(), order.end());
    for (int64_t i = 0; i < size; ++i)
      ASSERT_EQ(order[i], i);
  }
}

TEST(Sampler, DependsOnSeedAndEpochAlone) {
  EXPECT_EQ(orderOf(1, 100, 0), orderOf(1, 100, 0));
  EXPECT_NE(orderOf(1, 100, 0), orderOf(1, 100, 1));
  EXPECT_NE(orderOf(1, 100, 0), orderOf(2, 100, 0));
  // Neither sums nor exclusive ors of the two coincide.
  EXPECT_NE(orderOf(1, 100, 0), orderOf(0, 100, 1));
  EXPECT_NE(orderOf(1, 100, 2), orderOf(2, 100, 1));
}

TEST(Sampler, ReusesTheVector) {
  std::vector<uint32_t> order(5000, 9);
  Sampler(1, 100, true).permutation(4, order);
  EXPECT_EQ(order, orderOf(1, 100, 4));
}

TEST(Sampler, WithoutShuffleCounts) { EXPECT_EQ(orderOf(7, 4, 2, false), (std::vector<uint32_t>{0, 1, 2, 3})); }

/// The order belongs to the meaning of a seed: a change here changes every recorded run. Computed independently, in
/// Python, from the description in sampler.h.
TEST(Sampler, GoldenValues) {
  EXPECT_EQ(orderOf(0, 10, 0), (std::vector<uint32_t>{4, 9, 2, 5, 1, 7, 6, 0, 3, 8}));
  EXPECT_EQ(orderOf(1, 10, 0), (std::vector<uint32_t>{5, 6, 1, 8, 7, 4, 3, 9, 0, 2}));
  EXPECT_EQ(orderOf(1, 10, 7), (std::vector<uint32_t>{1, 2, 6, 3, 8, 5, 9, 4, 0, 7}));
  std::vector<uint32_t> order = orderOf(42, 50000, 3);
  order.resize(8);
  EXPECT_EQ(order, (std::vector<uint32_t>{1247, 43056, 29758, 16516, 20624, 28648, 30079, 46184}));
}

TEST(Sampler, EveryOrderIsAsLikely) {
  std::map<std::vector<uint32_t>, int> counts;
  for (int64_t epoch = 0; epoch < 6000; ++epoch)
    ++counts[orderOf(3, 3, epoch)];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto &[order, count] : counts) {
    EXPECT_GT(count, 850); // 1000 with a standard deviation of 29
    EXPECT_LT(count, 1150);
  }
}

TEST(Sampler, RefusesImpossibleSizes) {
  EXPECT_THROW(Sampler(1, -1, true), Error);
  EXPECT_THROW(Sampler(1, int64_t(1) << 32, true), Error);
}
