//===- arena.h - the one block of memory of a step ------------------------===//
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace partyline::runtime {

/// Memory as planned, zeroed: all pages are touched, so a device that has too little fails at the start and not in the
/// middle of an epoch.
class Arena {
public:
  /// Throws an Error that says how much was asked for.
  explicit Arena(int64_t bytes);

  uint8_t *base() const { return memory.get(); }
  int64_t bytes() const { return size; }

  template <typename T> T *at(int64_t offset) const { return reinterpret_cast<T *>(memory.get() + offset); }

private:
  struct Free {
    void operator()(uint8_t *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<uint8_t, Free> memory;
  int64_t size;
};

} // namespace partyline::runtime
