//===- halide_hooks.h - what kernels call besides libc --------------------===//
//
// Kernels are built without Halide's runtime and find these in the worker's executable
// (runtime/shared/worker_interface.h lists all that a step library may leave undefined).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace partyline::runtime {

class ThreadPool;

/// The pool that parallel loops of kernels run on; null: the calling thread. Set it before the first kernel runs.
void setKernelThreads(ThreadPool *pool);

} // namespace partyline::runtime

extern "C" {
int halide_do_par_for(void *userContext, int (*task)(void *, int, uint8_t *), int first, int count, uint8_t *closure);
void *halide_malloc(void *userContext, size_t bytes);
void halide_free(void *userContext, void *pointer);
}
