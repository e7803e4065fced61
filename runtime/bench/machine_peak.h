//===- machine_peak.h - what the machine can do, measured -----------------===//
#pragma once

#include "runtime/threads/thread_pool.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace partyline::runtime {

/// What a computation has to do at the least.
struct Work {
  double operations = 0; ///< a multiply-add is two
  double bytes = 0;      ///< read and written
  double written = 0;    ///< of these

  Work &operator+=(const Work &other) {
    operations += other.operations;
    bytes += other.bytes;
    written += other.written;
    return *this;
  }
};

/// The roofs of the roofline model (Williams, Waterman and Patterson, 2009), of all threads of a pool together.
struct MachinePeak {
  double operations = 0; ///< multiply-adds of float vectors per second, counted as two each
  double copied = 0;     ///< bytes per second, read and written, of a copy far larger than the caches
  double read = 0;       ///< bytes per second of a sum over as much

  /// The time of streams with the same mix of reads and writes.
  double memorySeconds(const Work &work) const;

  /// The longer of the times of operations and memory.
  double seconds(const Work &work) const;
};

/// Measures all of it. Shared machines change their speed by a third from second to second: measure near to what is
/// compared.
class PeakMeter {
public:
  explicit PeakMeter(ThreadPool &threads);

  /// Takes about a tenth of a second.
  MachinePeak measure();

private:
  /// Of a loop over a part of the arrays, which all threads go through at a time: the best of three.
  double bytesPerSecond(double bytesPerFloat, const std::function<void(size_t first, size_t count)> &loop);

  ThreadPool &threads;
  std::vector<float> source, target;
};

} // namespace partyline::runtime
