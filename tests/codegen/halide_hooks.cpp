//===- halide_hooks.cpp - what the worker gives to kernels, serially ------===//
#include <HalideRuntime.h>

#include <cstdlib>

extern "C" int halide_do_par_for(void *context, halide_task_t task, int first, int count, uint8_t *closure) {
  for (int i = first; i < first + count; ++i)
    if (int status = task(context, i, closure))
      return status;
  return 0;
}

extern "C" void *halide_malloc(void *, size_t bytes) { return std::aligned_alloc(128, (bytes + 127) / 128 * 128); }

extern "C" void halide_free(void *, void *memory) { std::free(memory); }
