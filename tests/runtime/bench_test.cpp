//===- bench_test.cpp - timing a step, and how it is told -----------------===//
#include "runtime/bench/bench_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <thread>

using namespace partyline;
using namespace partyline::runtime;

namespace {

template <int Milliseconds> int32_t sleeping(const StepCall *) {
  std::this_thread::sleep_for(std::chrono::milliseconds(Milliseconds));
  return 0;
}

/// Two ops with one kernel, one with another, and an update; a micro-batch of 4.
struct TinyBench {
  const StepOp ops[3] = {{sleeping<1>, "first", "quick", {100, 25, 8, 2, 4, 1}},
                         {sleeping<5>, "second", "slow", {0, 1000, 0, 0, 0, 0}},
                         {sleeping<1>, "third", "quick", {100, 25, 8, 2, 4, 1}}};
  const StepUpdate updates[1] = {{0, 16, {sleeping<2>, "sgd", "update", {7, 0, 9, 0, 3, 0}}}};
  StepLibrary library{.forwardBackward = ops, .forwardBackwardCount = 3, .updates = updates, .updateCount = 1};
  Manifest manifest;
  ManifestClass deviceClass;
  Arena arena{4096};
  ThreadPool threads{1};

  BenchResult run(double seconds) {
    manifest.gradientElements = 16;
    deviceClass.microBatch = 4;
    deviceClass.input.shape = {3};
    deviceClass.labels.offset = 64;
    deviceClass.sampleIds.offset = 128;
    StepLoop steps(library, deviceClass, arena);
    return bench(steps, deviceClass, manifest, arena, threads, seconds, [](double) {});
  }
};

} // namespace

TEST(Bench, TimesEveryOpOfTheStep) {
  const BenchResult result = TinyBench().run(0);
  EXPECT_EQ(result.samples, 4);
  EXPECT_EQ(result.rounds, 3);
  ASSERT_EQ(result.ops.size(), 4u);
  EXPECT_GE(result.ops[1].seconds, 0.005);
  EXPECT_GE(result.ops[3].seconds, 0.002);
  EXPECT_GE(result.stepSeconds, 0.009);
  EXPECT_EQ(result.ops[0].work.operations, 200);
  EXPECT_EQ(result.ops[0].work.bytes, 16);
  EXPECT_EQ(result.ops[0].work.written, 8);
  EXPECT_EQ(result.ops[1].work.operations, 4000);
  EXPECT_EQ(result.ops[3].work.operations, 7);
  EXPECT_GT(result.peak.operations, 1e9);
  EXPECT_GT(result.peak.copied, 1e8);
  EXPECT_GT(result.peak.read, 1e8);
}

TEST(Bench, AddsUpOpsWithTheSameKernel) {
  const std::vector<OpTiming> kernels =
      byKernel({{"a", "k", 1, {10, 100, 50}}, {"b", "other", 5, {1, 1, 1}}, {"c", "k", 2, {20, 200, 60}}});
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "k");
  EXPECT_EQ(kernels[0].name, "2 ops");
  EXPECT_EQ(kernels[0].seconds, 3);
  EXPECT_EQ(kernels[0].work.operations, 30);
  EXPECT_EQ(kernels[0].work.bytes, 300);
  EXPECT_EQ(kernels[0].work.written, 110);
  EXPECT_EQ(kernels[1].name, "b");
}

// The roof of the roofline: the longer of both times. What is written is copied with as many reads; the rest is read,
// or written as fast as it would be copied.
TEST(Bench, ShareOfPeak) {
  const MachinePeak peak{100, 10, 5};
  EXPECT_DOUBLE_EQ((OpTiming{"", "", 2, {100, 1, 0}}.shareOf(peak)), 0.5);
  EXPECT_DOUBLE_EQ((OpTiming{"", "", 4, {100, 15, 0}}.shareOf(peak)), 0.75);
  EXPECT_DOUBLE_EQ((OpTiming{"", "", 4, {100, 15, 5}}.shareOf(peak)), 0.5);
  EXPECT_DOUBLE_EQ((OpTiming{"", "", 2, {100, 15, 10}}.shareOf(peak)), 0.75);
}

TEST(Bench, ReportsTheSlowestFirstAndTheRestAsOne) {
  BenchResult result;
  result.peak = {100e9, 10e9, 20e9};
  result.samples = 8;
  result.rounds = 3;
  result.stepSeconds = 0.004;
  result.ops = {{"a", "k1", 0.001, {5e7, 0, 0}}, {"b", "k2", 0.002, {1e8, 0, 0}}, {"c", "k3", 0.0005, {0, 1e6, 5e5}}};
  const std::string text = benchText({"net.party", "phone", 2}, result, result.ops, 2);
  const size_t first = text.find("k2  b"), second = text.find("k1  a");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_LT(first, second) << text;
  EXPECT_EQ(text.find("k3"), std::string::npos) << text;
  EXPECT_NE(text.find("in 1 more"), std::string::npos) << text;
  EXPECT_NE(text.find("2000.0 samples/s"), std::string::npos) << text;
  EXPECT_NE(text.find("2.000   50.0 %"), std::string::npos) << text; // of the step's 4 ms
  EXPECT_NE(text.find("0.500   12.5 %  between the kernels"), std::string::npos) << text;
  EXPECT_NE(text.find("net.party, class phone: micro-batch 8, 2 threads"), std::string::npos) << text;

  const auto json = nlohmann::json::parse(benchJson({"net.party", "phone", 2}, result));
  ASSERT_EQ(json["ops"].size(), 3u);
  EXPECT_EQ(json["ops"][0]["op"], "a");
  EXPECT_DOUBLE_EQ(json["ops"][1]["gflop_per_s"].get<double>(), 50);
  EXPECT_DOUBLE_EQ(json["ops"][2]["of_peak"].get<double>(), 0.2);
  EXPECT_DOUBLE_EQ(json["step"]["samples_per_s"].get<double>(), 2000);
}
