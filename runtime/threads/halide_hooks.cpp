//===- halide_hooks.cpp ---------------------------------------------------===//
#include "runtime/threads/halide_hooks.h"

#include "runtime/threads/thread_pool.h"

#include <atomic>
#include <cstdlib>

namespace partyline::runtime {

static std::atomic<ThreadPool *> kernelThreads{nullptr};

void setKernelThreads(ThreadPool *pool) { kernelThreads = pool; }

} // namespace partyline::runtime

using namespace partyline::runtime;

#define PARTYLINE_EXPORT __attribute__((visibility("default")))

PARTYLINE_EXPORT int halide_do_par_for(void *userContext, int (*task)(void *, int, uint8_t *), int first, int count,
                                       uint8_t *closure) {
  std::atomic<int> status{0};
  const auto body = [&](int64_t i) {
    const int result = task(userContext, int(i), closure);
    if (result != 0)
      status = result;
  };
  if (ThreadPool *pool = kernelThreads)
    pool->parallelFor(first, count, body);
  else
    for (int i = 0; i < count; ++i)
      body(first + i);
  return status;
}

/// Wide enough for every vector of every target, and no two scratch buffers share a cache line.
static constexpr size_t kScratchAlignment = 128;

PARTYLINE_EXPORT void *halide_malloc(void *, size_t bytes) {
  if (bytes > SIZE_MAX - kScratchAlignment)
    return nullptr;
  return std::aligned_alloc(kScratchAlignment, (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment);
}

PARTYLINE_EXPORT void halide_free(void *, void *pointer) { std::free(pointer); }
