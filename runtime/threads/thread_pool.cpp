//===- thread_pool.cpp ----------------------------------------------------===//
#include "runtime/threads/thread_pool.h"

#include <algorithm>

namespace partyline::runtime {

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; ++i)
    workers.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
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
  Loop loop{.body = body, .next = first, .end = first + count};
  std::unique_lock<std::mutex> lock(mutex);
  // The newest loop first: an inner loop holds up the outer one.
  loops.push_front(&loop);
  const int64_t helpers = std::min<int64_t>(count - 1, int64_t(workers.size()));
  for (int64_t i = 0; i < helpers; ++i)
    available.notify_one();
  runIterations(loop, lock);
  loop.finished.wait(lock, [&] { return loop.done(); });
  if (loop.exception)
    std::rethrow_exception(loop.exception);
}

void ThreadPool::runIterations(Loop &loop, std::unique_lock<std::mutex> &lock) {
  while (loop.next < loop.end) {
    const int64_t i = loop.next++;
    ++loop.running;
    if (loop.next == loop.end)
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
      if (loop.next < loop.end)
        removeFromQueue(loop);
      loop.next = loop.end;
    }
    // The last notification comes under the lock: once it is released the loop may be gone.
    if (loop.done()) {
      loop.finished.notify_all();
      return;
    }
  }
}

void ThreadPool::removeFromQueue(Loop &loop) {
  loops.erase(std::remove(loops.begin(), loops.end(), &loop), loops.end());
}

void ThreadPool::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    available.wait(lock, [this] { return stopping || !loops.empty(); });
    if (stopping)
      return;
    runIterations(*loops.front(), lock);
  }
}

} // namespace partyline::runtime
