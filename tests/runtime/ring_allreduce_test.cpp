//===- ring_allreduce_test.cpp - the ring against plain sums --------------===//
#include "runtime/communication/ring_allreduce.h"

#include "runtime/shared/footprint.h"
#include "tests/runtime/rank_threads.h"

#include <cmath>
#include <random>

using namespace partyline;
using namespace partyline::runtime;
using partyline::testing::runRanks;

namespace {

using Arrays = std::vector<std::vector<float>>;

Arrays randomArrays(int ranks, int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Arrays arrays(static_cast<size_t>(ranks), std::vector<float>(static_cast<size_t>(count)));
  for (std::vector<float> &array : arrays)
    for (float &value : array)
      value = normal(random);
  return arrays;
}

Arrays reduce(Arrays arrays) {
  runRanks(int(arrays.size()), [&](Communicator &communicator) {
    std::vector<float> &array = arrays[size_t(communicator.rank())];
    RingAllreduce(communicator, int64_t(array.size())).sum(array.data(), int64_t(array.size()));
  });
  return arrays;
}

} // namespace

TEST(RingAllreduce, sumsOverAllRanks) {
  for (int ranks : {1, 2, 3, 4, 5, 7, 8, 13})
    for (int64_t count : {0, 1, 2, 3, 15, 16, 17, 64, 100, 1000, 4099}) {
      const Arrays arrays = randomArrays(ranks, count, uint32_t(ranks * 10000 + count));
      const Arrays reduced = reduce(arrays);
      for (int64_t i = 0; i < count; ++i) {
        double sum = 0, magnitude = 0;
        for (const std::vector<float> &array : arrays) {
          sum += array[size_t(i)];
          magnitude += std::fabs(array[size_t(i)]);
        }
        ASSERT_NEAR(reduced[0][size_t(i)], sum, 1e-6 * magnitude) << ranks << " ranks, element " << i;
      }
      for (const std::vector<float> &array : reduced)
        ASSERT_EQ(array, reduced[0]) << ranks << " ranks, " << count << " elements";
    }
}

// More than one message per chunk: the next arrives while one is added.
TEST(RingAllreduce, cutsLargeChunksIntoPieces) {
  const int64_t piece = kRingPieceBytes / 4;
  for (int64_t count : {2 * piece + 5, 3 * piece * 3 + 1, 3 * piece * 2 - 17, 4 * piece}) {
    const int ranks = 3;
    const Arrays arrays = randomArrays(ranks, count, 5);
    const Arrays reduced = reduce(arrays);
    for (int64_t i = 0; i < count; ++i) {
      const double sum = double(arrays[0][size_t(i)]) + arrays[1][size_t(i)] + arrays[2][size_t(i)];
      ASSERT_NEAR(reduced[0][size_t(i)], sum, 2e-6) << "element " << i << " of " << count;
    }
    EXPECT_EQ(reduced[1], reduced[0]);
    EXPECT_EQ(reduced[2], reduced[0]);
  }
}

// Chunk c is summed from rank c on, around the ring: written out for the first element of each chunk.
TEST(RingAllreduce, addsInTheOrderOfTheRing) {
  const int ranks = 4;
  const int64_t count = 64; // chunks of 16
  const Arrays arrays = randomArrays(ranks, count, 77);
  const Arrays reduced = reduce(arrays);
  for (int chunk = 0; chunk < ranks; ++chunk)
    for (int64_t i = chunk * 16; i < chunk * 16 + 16; ++i) {
      float sum = arrays[size_t(chunk)][size_t(i)];
      for (int step = 1; step < ranks; ++step)
        sum = arrays[size_t((chunk + step) % ranks)][size_t(i)] + sum;
      EXPECT_EQ(reduced[0][size_t(i)], sum);
    }
}

TEST(RingAllreduce, givesTheSameBitsEveryTime) {
  const Arrays arrays = randomArrays(5, 12345, 9);
  EXPECT_EQ(reduce(arrays), reduce(arrays));
}

TEST(RingAllreduce, scratchIsAsThePlannerThinks) {
  EXPECT_EQ(ringScratchBytes(1000, 1), 0);
  EXPECT_EQ(ringScratchBytes(64, 4), 2 * 16 * 4);
  EXPECT_EQ(ringScratchBytes(65, 4), 2 * 32 * 4) << "chunks are multiples of a cache line";
  EXPECT_EQ(ringScratchBytes(int64_t(1) << 40, 4), 2 * kRingPieceBytes);
  EXPECT_EQ(communicationBytes({{0, 64, "ring"}, {64, 80, "ring"}}, 4), 2 * 16 * 4);
}

TEST(ThreadCommunicator, namesTheRankThatDoesNotAnswer) {
  ThreadNetwork network(2, 0.05);
  const std::unique_ptr<Communicator> communicator = network.communicator(0);
  communicator->setHostNames({"a", "b"});
  char byte;
  partyline::testing::expectError([&] { communicator->receive(1, Tag::gather, &byte, 1); }, {"rank 1 (host b)"},
                                  kFailed);
}
