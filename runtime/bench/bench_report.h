//===- bench_report.h - a bench as people and programs read it ------------===//
#pragma once

#include "runtime/bench/bench.h"

#include <string>

namespace partyline::runtime {

/// What the result is of.
struct BenchSubject {
  std::string binary, deviceClass;
  int64_t threads = 1;
};

/// The step, then the `rows` ops or kernels that take longest, slowest first.
std::string benchText(const BenchSubject &subject, const BenchResult &result, const std::vector<OpTiming> &timings,
                      size_t rows);

/// All ops in the order of the step. Times are ms, rates GFLOP/s and GB/s.
std::string benchJson(const BenchSubject &subject, const BenchResult &result);

} // namespace partyline::runtime
