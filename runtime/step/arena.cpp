//===- arena.cpp ----------------------------------------------------------===//
#include "runtime/step/arena.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unistd.h>

namespace partyline::runtime {

/// A page, so that a kernel's large loads never split one more than they must.
static constexpr int64_t kAlignment = 4096;

Arena::Arena(int64_t bytes) : size(std::max<int64_t>(bytes, 1)) {
  const int64_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
  // More than the machine has may be promised all the same, and is only missed when the pages are touched.
  if (rounded / sysconf(_SC_PAGESIZE) <= sysconf(_SC_PHYS_PAGES))
    memory.reset(static_cast<uint8_t *>(std::aligned_alloc(size_t(kAlignment), size_t(rounded))));
  if (!memory)
    throw runError("there are no " + std::to_string(bytes >> 20) +
                   " MiB of memory for the step; compile with a smaller --memory-limit or --micro-batch");
  std::memset(memory.get(), 0, size_t(rounded));
}

} // namespace partyline::runtime
