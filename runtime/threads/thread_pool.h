//===- thread_pool.h - the worker's threads -------------------------------===//
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace partyline::runtime {

/// A fixed number of threads that share loops. The thread that asks for a loop works on it too and returns when all of
/// it is done, so loops may be nested and asked for by several threads at once without a deadlock: whoever waits
/// waits only for iterations that some thread is running.
///
/// Every thread begins with its own share of a loop, neighbouring iterations, and takes from others' when that is done.
/// Kernels cut their work alike, so a thread finds in its cache what it wrote in the loop before.
///
/// Who has nothing to do looks for work a while before it sleeps: a step is hundreds of short loops, one right behind
/// the other, and to wake a thread takes longer than many of them. It gives its core away as it looks (yield), so
/// several ranks on one machine do not hold each other up.
class ThreadPool {
public:
  /// `threads` counts the caller: 1 starts none.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int size() const { return int(workers.size()) + 1; }

  /// Runs body(i) for first <= i < first + count. What an iteration throws ends the loop (iterations not begun are
  /// left out) and is thrown again here; of several, the first that was caught.
  void parallelFor(int64_t first, int64_t count, const std::function<void(int64_t)> &body);

private:
  /// Iterations not yet begun.
  struct Share {
    int64_t next, end;
    int64_t left() const { return end - next; }
  };
  struct Loop {
    const std::function<void(int64_t)> &body;
    std::vector<Share> shares; ///< by thread
    int64_t left;              ///< iterations not yet begun
    int64_t running = 0;       ///< iterations that a thread is in
    std::exception_ptr exception;
    std::condition_variable finished;
    std::atomic<bool> over = false; ///< done(), for looking without the lock
    bool done() const { return left == 0 && running == 0; }

    /// The next iteration of the thread's own share, or the last one of the largest. There must be one left.
    int64_t take(size_t thread);
  };

  void work(size_t thread);
  /// Takes iterations of a loop until none is left to begin. Called and left with the lock held.
  void runIterations(Loop &loop, std::unique_lock<std::mutex> &lock);
  void removeFromQueue(Loop &loop);

  std::mutex mutex;
  std::condition_variable available;
  std::deque<Loop *> loops;         ///< with iterations to begin
  std::atomic<bool> called = false; ///< loops are there, or the end: for looking without the lock
  std::vector<std::thread> workers;
  bool stopping = false;
};

} // namespace partyline::runtime
