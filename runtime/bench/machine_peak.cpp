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

/// The sum of floats, of which a few behind whole blocks are left out.
template <typename Vector> [[gnu::always_inline]] static inline float addUp(const float *values, size_t count) {
  constexpr size_t kLanes = sizeof(Vector) / sizeof(float), kVectors = 8;
  Vector sums[kVectors] = {};
  for (size_t i = 0; i + kVectors * kLanes <= count; i += kVectors * kLanes)
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      Vector next;
      std::memcpy(&next, values + i + v * kLanes, sizeof next);
      sums[v] += next;
    }
  float total = 0;
  for (const Vector &sum : sums)
    for (size_t lane = 0; lane < kLanes; ++lane)
      total += sum[lane];
  return total;
}

/// The loops, compiled for the widest vectors of the CPU.
struct Loops {
  double (*multiplyAdd)(float *sink);
  float (*addUp)(const float *values, size_t count);
};

#ifdef __x86_64__
[[gnu::target("avx512f")]] static double multiplyAddAvx512(float *sink) { return multiplyAdd<Vector16>(sink); }
[[gnu::target("avx2,fma")]] static double multiplyAddAvx2(float *sink) { return multiplyAdd<Vector8>(sink); }
[[gnu::target("avx512f")]] static float addUpAvx512(const float *v, size_t count) { return addUp<Vector16>(v, count); }
[[gnu::target("avx2,fma")]] static float addUpAvx2(const float *v, size_t count) { return addUp<Vector8>(v, count); }
#endif
static double multiplyAddBaseline(float *sink) { return multiplyAdd<Vector4>(sink); }
static float addUpBaseline(const float *values, size_t count) { return addUp<Vector4>(values, count); }

static Loops widestLoops() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f"))
    return {multiplyAddAvx512, addUpAvx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {multiplyAddAvx2, addUpAvx2};
#endif
  return {multiplyAddBaseline, addUpBaseline};
}

double MachinePeak::memorySeconds(const Work &work) const {
  const double onlyRead = std::max(0.0, work.bytes - 2 * work.written);
  return (work.bytes - onlyRead) / copied + onlyRead / read;
}

double MachinePeak::seconds(const Work &work) const {
  return std::max(work.operations / operations, memorySeconds(work));
}

PeakMeter::PeakMeter(ThreadPool &threads) : threads(threads), source(size_t(24) << 20, 1.0f), target(source.size()) {}

double PeakMeter::bytesPerSecond(double bytesPerFloat, const std::function<void(size_t, size_t)> &loop) {
  const size_t part = source.size() / size_t(threads.size());
  double best = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Clock::time_point start = Clock::now();
    threads.parallelFor(0, threads.size(), [&](int64_t thread) { loop(size_t(thread) * part, part); });
    best = std::max(best, bytesPerFloat * double(part) * double(threads.size()) / secondsSince(start));
  }
  return best;
}

MachinePeak PeakMeter::measure() {
  MachinePeak peak;
  const Loops loops = widestLoops();
  std::vector<double> operations(size_t(threads.size()));
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Clock::time_point start = Clock::now();
    threads.parallelFor(0, threads.size(), [&](int64_t thread) {
      float sink[2] = {};
      operations[size_t(thread)] = loops.multiplyAdd(sink) + (sink[1] == 1 ? 1 : 0);
    });
    peak.operations = std::max(peak.operations, operations[0] * double(threads.size()) / secondsSince(start));
  }
  peak.copied = bytesPerSecond(2 * sizeof(float), [&](size_t first, size_t count) {
    std::memcpy(&target[first], &source[first], count * sizeof(float));
  });
  // The sums go to the other array, so that they are needed.
  peak.read = bytesPerSecond(sizeof(float),
                             [&](size_t first, size_t count) { target[first] = loops.addUp(&source[first], count); });
  return peak;
}

} // namespace partyline::runtime
