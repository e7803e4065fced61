//===- reducer_test.cpp ---------------------------------------------------===//
#include "runtime/communication/reducer.h"

#include "tests/runtime/rank_threads.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace partyline;
using namespace partyline::runtime;
using partyline::testing::expectError;
using partyline::testing::runRanks;

namespace {
const std::vector<ManifestBucket> kBuckets = {{0, 100, "ring"}, {100, 101, "ring"}, {101, 500, "ring"}};
}

// Buckets are signalled in any order, each rank its own; many steps in a row.
TEST(Reducer, sumsBucketsWhateverTheOrderOfSignals) {
  for (int ranks : {1, 2, 4})
    runRanks(ranks, [&](Communicator &communicator) {
      std::vector<float> gradients(500);
      Reducer reducer(communicator, kBuckets, gradients.data());
      std::mt19937 random{uint32_t(communicator.rank())};
      for (int step = 0; step < 50; ++step) {
        std::fill(gradients.begin(), gradients.end(), 1.0f + float(step) + 100 * float(communicator.rank()));
        std::vector<int64_t> order = {0, 1, 2};
        std::shuffle(order.begin(), order.end(), random);
        for (int64_t bucket : order)
          reducer.signal(bucket);
        const float sum = float(ranks) * (1 + float(step)) + 100 * float(ranks * (ranks - 1) / 2);
        for (int64_t bucket = 0; bucket < reducer.buckets(); ++bucket) {
          reducer.wait(bucket);
          for (int64_t i = kBuckets[size_t(bucket)].first; i < kBuckets[size_t(bucket)].last; ++i)
            ASSERT_EQ(gradients[size_t(i)], sum) << "bucket " << bucket << " in step " << step;
        }
      }
    });
}

// A bucket is reduced as soon as it may be: before later ones are signalled.
TEST(Reducer, worksWhileBackwardGoesOn) {
  runRanks(2, [&](Communicator &communicator) {
    std::vector<float> gradients(500, 1.0f);
    Reducer reducer(communicator, kBuckets, gradients.data());
    reducer.signal(0);
    reducer.wait(0);
    EXPECT_EQ(gradients[99], 2.0f);
    EXPECT_EQ(gradients[100], 1.0f);
    reducer.signal(1);
    reducer.signal(2);
    reducer.wait(2);
    EXPECT_EQ(gradients[499], 2.0f);
  });
}

TEST(Reducer, failureComesOutOfWait) {
  expectError(
      [] {
        runRanks(
            2,
            [](Communicator &communicator, Communicator &) {
              std::vector<float> gradients(500);
              Reducer reducer(communicator, kBuckets, gradients.data());
              if (communicator.rank() == 1)
                return; // never takes part
              reducer.signal(0);
              reducer.wait(0);
            },
            /*timeLimit=*/0.2);
      },
      {"waited", "rank 1"}, kFailed);
}

// Otherwise an exception in the step loop would wait in the destructor for ranks that wait for this one.
TEST(Reducer, canBeGivenUpWhileABucketIsOnTheWire) {
  runRanks(2, [](Communicator &communicator, Communicator &) {
    std::vector<float> gradients(500);
    Reducer reducer(communicator, kBuckets, gradients.data());
    if (communicator.rank() == 0)
      reducer.signal(0);
  });
}
