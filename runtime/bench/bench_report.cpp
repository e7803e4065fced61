//===- bench_report.cpp ---------------------------------------------------===//
#include "runtime/bench/bench_report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace partyline::runtime {

template <typename... Arguments> static std::string format(const char *pattern, Arguments... arguments) {
  std::string text(size_t(std::snprintf(nullptr, 0, pattern, arguments...)), '\0');
  std::snprintf(text.data(), text.size() + 1, pattern, arguments...);
  return text;
}

/// The step's ops as one.
static OpTiming total(const BenchResult &result) {
  OpTiming sum;
  for (const OpTiming &op : result.ops)
    sum.work += op.work;
  sum.seconds = result.stepSeconds;
  return sum;
}

std::string benchText(const BenchSubject &subject, const BenchResult &result, const std::vector<OpTiming> &timings,
                      size_t rows) {
  const OpTiming step = total(result);
  std::string text = format("%s, class %s: micro-batch %lld, %lld threads, medians of %lld rounds\n",
                            subject.binary.c_str(), subject.deviceClass.c_str(), (long long)result.samples,
                            (long long)subject.threads, (long long)result.rounds);
  text += format("machine  %8.1f GFLOP/s  %6.1f GB/s copied, %.1f read; measured between the rounds\n",
                 result.peak.operations * 1e-9, result.peak.copied * 1e-9, result.peak.read * 1e-9);
  text += format("step     %8.1f GFLOP/s  %6.1f GB/s, %.0f and %.0f %% of it; %.2f ms, %.1f samples/s\n\n",
                 step.work.operations / step.seconds * 1e-9, step.work.bytes / step.seconds * 1e-9,
                 100 * step.work.operations / step.seconds / result.peak.operations,
                 100 * result.peak.memorySeconds(step.work) / step.seconds, step.seconds * 1e3,
                 double(result.samples) / step.seconds);
  text += "       ms  of step   GFLOP/s    GB/s  of peak  kernel, op\n";
  std::vector<const OpTiming *> sorted;
  double sum = 0;
  for (const OpTiming &timing : timings) {
    sorted.push_back(&timing);
    sum += timing.seconds;
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const OpTiming *a, const OpTiming *b) { return a->seconds > b->seconds; });
  double rest = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const OpTiming &timing = *sorted[i];
    if (i >= rows)
      rest += timing.seconds;
    else
      text += format("%9.3f  %5.1f %%  %8.1f  %6.1f   %4.0f %%  %s  %s\n", timing.seconds * 1e3,
                     100 * timing.seconds / step.seconds, timing.work.operations / timing.seconds * 1e-9,
                     timing.work.bytes / timing.seconds * 1e-9, 100 * timing.shareOf(result.peak),
                     timing.kernel.c_str(), timing.name.c_str());
  }
  if (sorted.size() > rows)
    text += format("%9.3f  %5.1f %%  in %zu more; --rows shows them\n", rest * 1e3, 100 * rest / step.seconds,
                   sorted.size() - rows);
  // The two are measured in different steps: the rest may be less than nothing.
  text += format("%9.3f  %5.1f %%  between the kernels\n", (step.seconds - sum) * 1e3,
                 100 * (step.seconds - sum) / step.seconds);
  return text +
         "\nof peak: the time of the machine's peak rate of operations, or of streams with the same mix of reads and "
         "writes, whichever is longer, over the time taken; what stays in a cache moves faster\n"
         "Operations are those of the plain sums: convolutions of stride 1 make fewer (Winograd: 16 products of "
         "36 for 3x3), and may pass the peak\n";
}

std::string benchJson(const BenchSubject &subject, const BenchResult &result) {
  auto rates = [&](const OpTiming &timing) {
    return nlohmann::ordered_json{{"ms", timing.seconds * 1e3},
                                  {"gflop", timing.work.operations * 1e-9},
                                  {"bytes", timing.work.bytes},
                                  {"written", timing.work.written},
                                  {"gflop_per_s", timing.work.operations / timing.seconds * 1e-9},
                                  {"gb_per_s", timing.work.bytes / timing.seconds * 1e-9},
                                  {"of_peak", timing.shareOf(result.peak)}};
  };
  nlohmann::ordered_json json = {{"binary", subject.binary},
                                 {"class", subject.deviceClass},
                                 {"threads", subject.threads},
                                 {"micro_batch", result.samples},
                                 {"rounds", result.rounds},
                                 {"peak",
                                  {{"gflop_per_s", result.peak.operations * 1e-9},
                                   {"gb_per_s", result.peak.copied * 1e-9},
                                   {"read_gb_per_s", result.peak.read * 1e-9}}},
                                 {"step", rates(total(result))}};
  json["step"]["samples_per_s"] = double(result.samples) / result.stepSeconds;
  for (const OpTiming &op : result.ops) {
    nlohmann::ordered_json entry = {{"op", op.name}, {"kernel", op.kernel}};
    entry.update(rates(op));
    json["ops"].push_back(std::move(entry));
  }
  return json.dump(1) + "\n";
}

} // namespace partyline::runtime
