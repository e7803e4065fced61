//===- bench.cpp ----------------------------------------------------------===//
#include "runtime/bench/bench.h"

#include "runtime/shared/layout.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace partyline::runtime {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2), values.end());
  return values[values.size() / 2];
}

namespace {

using Clock = std::chrono::steady_clock;

/// The steps of a bench, all alike.
class BenchSteps {
public:
  BenchSteps(StepLoop &steps, const ManifestClass &deviceClass, const Manifest &manifest, Arena &arena)
      : steps(steps), elements(manifest.gradientElements) {
    call.samples = int32_t(deviceClass.microBatch);
    call.scale = 1.0f / float(call.samples);
    call.sampleWeight = 1;
    fill(deviceClass, manifest, arena);
    for (int64_t slot : deviceClass.optimizerOffsets)
      std::fill_n(arena.at<float>(slot), manifest.gradientElements, 0.0f);
  }

  double run() {
    const Clock::time_point start = Clock::now();
    steps.forwardBackward(call, nullptr);
    steps.update(call, 0, elements);
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  int64_t samples() const { return call.samples; }

private:
  // Numbers like those of data: zeros and denormals take another time.
  void fill(const ManifestClass &deviceClass, const Manifest &manifest, Arena &arena) {
    uint32_t state = 1;
    auto next = [&] {
      return float((state = state * 1664525 + 1013904223) >> 8) / (1 << 24);
    }; // Knuth, Numerical Recipes
    float *inputs = arena.at<float>(deviceClass.input.offset);
    for (int64_t i = 0; i < call.samples * elementCount(deviceClass.input.shape); ++i)
      inputs[i] = 2 * next() - 1;
    int32_t *ids = arena.at<int32_t>(deviceClass.sampleIds.offset);
    for (int32_t i = 0; i < call.samples; ++i)
      ids[i] = i;
    const int64_t targets = call.samples * elementCount(deviceClass.labels.shape);
    for (int64_t i = 0; i < targets; ++i)
      if (takesLabels(manifest.options))
        arena.at<int32_t>(deviceClass.labels.offset)[i] = 0;
      else
        arena.at<float>(deviceClass.labels.offset)[i] = next();
  }

  StepLoop &steps;
  StepCall call{};
  int64_t elements;
};

} // namespace

BenchResult bench(StepLoop &steps, const ManifestClass &deviceClass, const Manifest &manifest, Arena &arena,
                  ThreadPool &threads, double seconds, const std::function<void(double)> &progress) {
  constexpr int64_t kFewest = 3;
  BenchSteps step(steps, deviceClass, manifest, arena);
  PeakMeter meter(threads);
  BenchResult result;
  result.samples = step.samples();
  std::vector<std::vector<double>> opSeconds;
  size_t next = 0;
  // The first step, outside of all counts, meets cold caches and untouched pages, and says which ops there are.
  steps.observe([&](const StepOp &op, const StepCall &call, double) {
    const auto samples = double(call.samples);
    result.ops.push_back(
        {op.name,
         op.kernel,
         0,
         {op.work.operations + samples * op.work.operationsPerSample, op.work.bytes + samples * op.work.bytesPerSample,
          op.work.written + samples * op.work.writtenPerSample}});
  });
  step.run();
  opSeconds.resize(result.ops.size());
  const StepLoop::Observer clock = [&](const StepOp &, const StepCall &, double seconds) {
    opSeconds[next++].push_back(seconds);
  };
  std::vector<double> whole, operations, copied, read;
  const Clock::time_point start = Clock::now();
  for (double over = 0; over < 1 || result.rounds < kFewest; ++result.rounds) {
    const MachinePeak peak = meter.measure();
    operations.push_back(peak.operations);
    copied.push_back(peak.copied);
    read.push_back(peak.read);
    steps.observe(nullptr);
    whole.push_back(step.run());
    next = 0;
    steps.observe(clock);
    step.run();
    over = std::chrono::duration<double>(Clock::now() - start).count() / seconds;
    progress(std::min(over, 1.0));
  }
  steps.observe(nullptr);
  result.peak = {median(operations), median(copied), median(read)};
  result.stepSeconds = median(whole);
  for (size_t i = 0; i < result.ops.size(); ++i)
    result.ops[i].seconds = median(opSeconds[i]);
  return result;
}

std::vector<OpTiming> byKernel(const std::vector<OpTiming> &ops) {
  std::map<std::string, OpTiming> sums;
  std::map<std::string, int> counts;
  for (const OpTiming &op : ops) {
    OpTiming &sum = sums[op.kernel];
    sum.kernel = op.kernel;
    sum.seconds += op.seconds;
    sum.work += op.work;
    sum.name = counts[op.kernel]++ == 0 ? op.name : std::to_string(counts[op.kernel]) + " ops";
  }
  std::vector<OpTiming> result;
  for (auto &[kernel, sum] : sums)
    result.push_back(std::move(sum));
  return result;
}

} // namespace partyline::runtime
