//===- schedule_test.cpp - shares, and which samples a step takes ---------===//
#include "runtime/worker/schedule.h"
#include "tests/runtime/data_files.h"

#include <algorithm>
#include <numeric>

using namespace partyline;
using namespace partyline::runtime;
using partyline::testing::expectError;

TEST(Shares, areEvenWithTheRemainderInFront) {
  EXPECT_EQ(evenShares(8, 4), (Shares{2, 2, 2, 2}));
  EXPECT_EQ(evenShares(10, 4), (Shares{3, 3, 2, 2}));
  EXPECT_EQ(evenShares(2, 4), (Shares{1, 1, 0, 0}));
  EXPECT_EQ(evenShares(0, 3), (Shares{0, 0, 0}));
}

TEST(Shares, keepProportionAndSum) {
  EXPECT_EQ(proportionalShares({1, 3}, 4), (Shares{1, 3}));
  EXPECT_EQ(proportionalShares({1, 3}, 8), (Shares{2, 6}));
  EXPECT_EQ(proportionalShares({1, 3}, 2), (Shares{1, 1})) << "0.5 and 1.5: the tie goes to the lower rank";
  EXPECT_EQ(proportionalShares({0, 5}, 3), (Shares{0, 3}));
  for (int64_t total = 0; total < 40; ++total) {
    const Shares shares = proportionalShares({3, 0, 7, 1}, total);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), int64_t(0)), total);
    EXPECT_EQ(shares[1], 0);
  }
}

TEST(Shares, areReadFromTheCommandLine) {
  EXPECT_EQ(parseShares("1,3", 2), (Shares{1, 3}));
  EXPECT_EQ(parseShares("0,4,0", 3), (Shares{0, 4, 0}));
  for (const char *text : {"", "1", "1,", ",1", "1,x", "1,-1", "1,2,3", "1, 2", "0,0", "1,99999999999"}) {
    SCOPED_TRACE(text);
    expectError([&] { parseShares(text, 2); }, {"--shares"});
  }
}

// Whatever the shares, the ranks' slices put together are what one rank would see.
TEST(Schedule, cutsOneOrderIntoSlices) {
  const int64_t size = 29;
  for (const Shares &shares : {Shares{8}, Shares{4, 4}, Shares{1, 7}, Shares{0, 3, 5}, Shares{50}}) {
    const int64_t batch = std::accumulate(shares.begin(), shares.end(), int64_t(0));
    Schedule whole(5, size, true, {batch}, 0);
    for (int64_t epoch : {0, 1}) {
      std::vector<uint32_t> seen;
      for (int64_t position = 0; position < size; position += batch) {
        const StepSlice expected = whole.slice(epoch, position);
        std::vector<uint32_t> together;
        for (int rank = 0; rank < int(shares.size()); ++rank) {
          const StepSlice slice = Schedule(5, size, true, shares, rank).slice(epoch, position);
          EXPECT_EQ(slice.total(), std::min(batch, size - position));
          EXPECT_EQ(slice.all, expected.samples);
          together.insert(together.end(), slice.samples.begin(), slice.samples.end());
        }
        EXPECT_EQ(together, expected.samples);
        seen.insert(seen.end(), together.begin(), together.end());
      }
      std::sort(seen.begin(), seen.end());
      std::vector<uint32_t> all(size);
      std::iota(all.begin(), all.end(), 0u);
      EXPECT_EQ(seen, all) << "every sample once in an epoch";
    }
  }
  EXPECT_EQ(Schedule(5, 29, true, {4, 4}, 0).stepsPerEpoch(), 4);
}
