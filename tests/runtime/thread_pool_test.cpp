//===- thread_pool_test.cpp -----------------------------------------------===//
#include "runtime/threads/halide_hooks.h"
#include "runtime/threads/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <latch>
#include <stdexcept>

using namespace partyline::runtime;

TEST(ThreadPool, runsEveryIterationOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    std::vector<int> counts(1000, 0);
    pool.parallelFor(7, 1000, [&](int64_t i) { ++counts[size_t(i - 7)]; });
    EXPECT_EQ(counts, std::vector<int>(1000, 1));
    pool.parallelFor(0, 0, [&](int64_t) { ADD_FAILURE(); });
  }
}

TEST(ThreadPool, nestsLoops) {
  ThreadPool pool(3);
  std::atomic<int> count{0};
  pool.parallelFor(0, 10, [&](int64_t) {
    pool.parallelFor(0, 10, [&](int64_t) { pool.parallelFor(0, 10, [&](int64_t) { ++count; }); });
  });
  EXPECT_EQ(count, 1000);
}

TEST(ThreadPool, servesSeveralThreadsAtOnce) {
  ThreadPool pool(3);
  std::atomic<int> count{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 50; ++repeat)
        pool.parallelFor(0, 20, [&](int64_t) { ++count; });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(count, 4 * 50 * 20);
}

// In rounds in which every thread does one iteration.
TEST(ThreadPool, givesEveryThreadNeighbouringIterations) {
  constexpr int64_t kThreads = 3, kRounds = 4;
  ThreadPool pool(kThreads);
  std::barrier round(kThreads);
  std::vector<std::thread::id> done(kThreads * kRounds);
  pool.parallelFor(0, kThreads * kRounds, [&](int64_t i) {
    done[size_t(i)] = std::this_thread::get_id();
    round.arrive_and_wait();
  });
  for (int64_t i = 0; i < kThreads * kRounds; ++i)
    EXPECT_EQ(done[size_t(i)], done[size_t(i / kRounds * kRounds)]) << i;
}

// The first iteration waits for all others, half of which are in the share of its thread.
TEST(ThreadPool, takesWhatSlowThreadsHaveLeft) {
  ThreadPool pool(2);
  std::latch others(99);
  pool.parallelFor(0, 100, [&](int64_t i) {
    if (i == 0)
      others.wait();
    else
      others.count_down();
  });
  EXPECT_TRUE(others.try_wait());
}

TEST(ThreadPool, passesExceptionsOnAndStaysUsable) {
  for (int threads : {1, 4}) {
    ThreadPool pool(threads);
    std::atomic<int> begun{0};
    EXPECT_THROW(pool.parallelFor(0, 100000,
                                  [&](int64_t) {
                                    if (++begun == 4)
                                      throw std::runtime_error("the fourth");
                                  }),
                 std::runtime_error);
    EXPECT_LT(begun, 100000) << "the rest is left out";
    // From an inner loop through the outer one.
    EXPECT_THROW(
        pool.parallelFor(0, 4,
                         [&](int64_t) { pool.parallelFor(0, 4, [](int64_t) { throw std::runtime_error("inner"); }); }),
        std::runtime_error);
    std::atomic<int> count{0};
    pool.parallelFor(0, 100, [&](int64_t) { ++count; });
    EXPECT_EQ(count, 100);
  }
}

TEST(HalideHooks, runTasksOnThePoolAndReturnTheirFailure) {
  const auto task = [](void *, int i, uint8_t *closure) {
    reinterpret_cast<std::atomic<int> *>(closure)->fetch_add(i);
    return i == 12 ? -5 : 0;
  };
  ThreadPool pool(2);
  for (ThreadPool *threads : {&pool, static_cast<ThreadPool *>(nullptr)}) {
    setKernelThreads(threads);
    std::atomic<int> sum{0};
    EXPECT_EQ(halide_do_par_for(nullptr, task, 3, 4, reinterpret_cast<uint8_t *>(&sum)), 0);
    EXPECT_EQ(sum, 3 + 4 + 5 + 6);
    EXPECT_EQ(halide_do_par_for(nullptr, task, 10, 4, reinterpret_cast<uint8_t *>(&sum)), -5);
  }
  setKernelThreads(nullptr);
}

TEST(HalideHooks, allocateAlignedMemory) {
  for (size_t bytes : {size_t(1), size_t(127), size_t(128), size_t(100001)}) {
    void *memory = halide_malloc(nullptr, bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 128, 0u);
    halide_free(nullptr, memory);
  }
  EXPECT_EQ(halide_malloc(nullptr, SIZE_MAX), nullptr);
}
