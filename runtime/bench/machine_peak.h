//===- machine_peak.h - what the machine can do, measured -----------------===//
#pragma once

#include "runtime/threads/thread_pool.h"

#include <cstddef>
#include <vector>

namespace partyline::runtime {

/// The two roofs of the roofline model (Williams, Waterman and Patterson, 2009), of all threads of a pool together.
struct MachinePeak {
  double operations = 0; ///< multiply-adds of float vectors per second, counted as two each
  double bytes = 0;      ///< per second, read and written, of a copy far larger than the caches
};

/// Measures both. Shared machines change their speed by a third from second to second: measure near to what is
/// compared.
class PeakMeter {
public:
  explicit PeakMeter(ThreadPool &threads);

  /// Takes about a tenth of a second.
  MachinePeak measure();

private:
  ThreadPool &threads;
  std::vector<float> source, target;
};

} // namespace partyline::runtime
