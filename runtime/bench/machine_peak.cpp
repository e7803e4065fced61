//===- machine_peak.cpp ---------------------------------------------------===//
#include "runtime/bench/machine_peak.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace partyline::runtime {

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Twelve accumulators hide the latency of two units of four to six cycles, and leave registers for the factors.
static constexpr int kAccumulators = 12;
static constexpr int64_t kRounds = 1 << 18;

typedef float Vector4 __attribute__((vector_size(16)));
typedef float Vector8 __attribute__((vector_size(32)));
typedef float Vector16 __attribute__((vector_size(64)));

/// Multiply-adds of vectors; returns the number of operations. The sum goes to `sink`, so that it is needed.
template <typename Vector> [[gnu::always_inline]] static inline double multiplyAdd(float *sink) {
  constexpr int kLanes = sizeof(Vector) / sizeof(float);
  Vector sums[kAccumulators], factor, term;
  for (int lane = 0; lane < kLanes; ++lane) {
    factor[lane] = 0.999f + sink[0];
    term[lane] = 0.001f + sink[0];
  }
  for (Vector &sum : sums)
    sum = term;
  for (int64_t round = 0; round < kRounds; ++round)
#pragma GCC unroll 12
    for (int i = 0; i < kAccumulators; ++i)
      sums[i] = sums[i] * factor + term;
  for (const Vector &sum : sums)
    for (int lane = 0; lane < kLanes; ++lane)
      sink[1] += sum[lane];
  return 2.0 * kAccumulators * kLanes * double(kRounds);
}

#ifdef __x86_64__
[[gnu::target("avx512f")]] static double multiplyAddAvx512(float *sink) { return multiplyAdd<Vector16>(sink); }
[[gnu::target("avx2,fma")]] static double multiplyAddAvx2(float *sink) { return multiplyAdd<Vector8>(sink); }
#endif
static double multiplyAddBaseline(float *sink) { return multiplyAdd<Vector4>(sink); }

static double (*widestMultiplyAdd())(float *) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f"))
    return multiplyAddAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return multiplyAddAvx2;
#endif
  return multiplyAddBaseline;
}

PeakMeter::PeakMeter(ThreadPool &threads) : threads(threads), source(size_t(24) << 20, 1.0f), target(source.size()) {}

MachinePeak PeakMeter::measure() {
  MachinePeak peak;
  double (*const loop)(float *) = widestMultiplyAdd();
  std::vector<double> operations(size_t(threads.size()));
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Clock::time_point start = Clock::now();
    threads.parallelFor(0, threads.size(), [&](int64_t thread) {
      float sink[2] = {};
      operations[size_t(thread)] = loop(sink) + (sink[1] == 1 ? 1 : 0);
    });
    peak.operations = std::max(peak.operations, operations[0] * double(threads.size()) / secondsSince(start));
  }
  const size_t part = source.size() / size_t(threads.size());
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Clock::time_point start = Clock::now();
    threads.parallelFor(0, threads.size(), [&](int64_t thread) {
      std::memcpy(&target[size_t(thread) * part], &source[size_t(thread) * part], part * sizeof(float));
    });
    peak.bytes =
        std::max(peak.bytes, 2.0 * double(part * sizeof(float)) * double(threads.size()) / secondsSince(start));
  }
  return peak;
}

} // namespace partyline::runtime
