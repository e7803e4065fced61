//===- thread_pool.cpp ----------------------------------------------------===//
#include "runtime/threads/thread_pool.h"

#include <algorithm>
#include <chrono>

namespace partyline::runtime {

/// A thread that sleeps takes 5 to 50 us to wake; between two kernels of a step pass less than 20.
static constexpr std::chrono::microseconds kLookFor{50};

/// Which of its pool's threads this is; 0 for those that belong to none and ask for loops.
static thread_local size_t ownThread = 0;

/// Returns when `flag` is set, or after a while.
static void lookFor(const std::atomic<bool> &flag) {
  const auto end = std::chrono::steady_clock::now() + kLookFor;
  while (!flag.load(std::memory_order_acquire) && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
}

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; ++i)
    workers.emplace_back([this, i] { work(size_t(i)); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
    called = true;
  }
  available.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::parallelFor(int64_t first, int64_t count, const std::function<void(int64_t)> &body) {
  if (workers.empty() || count <= 1) {
    for (int64_t i = 0; i < count; ++i)
      body(first + i);
    return;
  }
  Loop loop{.body = body, .left = count};
  for (int64_t thread = 0; thread < size(); ++thread)
    loop.shares.push_back({first + count * thread / size(), first + count * (thread + 1) / size()});
  std::unique_lock<std::mutex> lock(mutex);
  // The newest loop first: an inner loop holds up the outer one.
  loops.push_front(&loop);
  called.store(true, std::memory_order_release);
  const int64_t helpers = std::min<int64_t>(count - 1, int64_t(workers.size()));
  for (int64_t i = 0; i < helpers; ++i)
    available.notify_one();
  runIterations(loop, lock);
  if (!loop.done()) {
    lock.unlock();
    lookFor(loop.over);
    lock.lock();
  }
  loop.finished.wait(lock, [&] { return loop.done(); });
  if (loop.exception)
    std::rethrow_exception(loop.exception);
}

int64_t ThreadPool::Loop::take(size_t thread) {
  --left;
  Share &own = shares[thread % shares.size()]; // a thread of another pool may ask for a loop
  if (own.left() > 0)
    return own.next++;
  return --std::max_element(shares.begin(), shares.end(), [](const Share &a, const Share &b) {
             return a.left() < b.left();
           })->end;
}

void ThreadPool::runIterations(Loop &loop, std::unique_lock<std::mutex> &lock) {
  while (loop.left > 0) {
    const int64_t i = loop.take(ownThread);
    ++loop.running;
    if (loop.left == 0)
      removeFromQueue(loop);
    lock.unlock();
    std::exception_ptr exception;
    try {
      loop.body(i);
    } catch (...) {
      exception = std::current_exception();
    }
    lock.lock();
    --loop.running;
    if (exception && !loop.exception) {
      loop.exception = exception;
      if (loop.left > 0)
        removeFromQueue(loop);
      loop.left = 0;
    }
    // The last notification comes under the lock: once it is released the loop may be gone.
    if (loop.done()) {
      loop.over.store(true, std::memory_order_release);
      loop.finished.notify_all();
      return;
    }
  }
}

void ThreadPool::removeFromQueue(Loop &loop) {
  loops.erase(std::remove(loops.begin(), loops.end(), &loop), loops.end());
  called.store(stopping || !loops.empty(), std::memory_order_release);
}

void ThreadPool::work(size_t thread) {
  ownThread = thread;
  while (true) {
    lookFor(called);
    std::unique_lock<std::mutex> lock(mutex);
    available.wait(lock, [this] { return stopping || !loops.empty(); });
    if (stopping)
      return;
    runIterations(*loops.front(), lock);
  }
}

} // namespace partyline::runtime
