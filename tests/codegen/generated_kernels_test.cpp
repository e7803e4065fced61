//===- generated_kernels_test.cpp - Halide's kernels in a step library ----===//
#include "codegen/linker.h"
#include "codegen/step_library.h"
#include "test_support.h"

#include <gtest/gtest.h>

namespace fs = std::filesystem;

namespace partyline::codegen {
namespace {

constexpr int64_t kK = 5, kN = 7, kCapacity = 20;
constexpr int64_t kX = 0, kWeight = 1024, kBias = 2048, kY = 4096, kRelu = 8192, kGradient = 12288, kBytes = 16384;

/// y = x w + b, z = relu(y); the update is one step of plain SGD on w.
StepProgram program() {
  auto matrix = [](int64_t offset, int64_t columns) {
    return KernelBuffer{offset, false, ElementType::float32, {fixedDimension(columns, 1), batchDimension(1, columns)}};
  };
  auto elements = [](int64_t offset) {
    return KernelBuffer{offset, false, ElementType::float32, {batchDimension(kN, 1)}};
  };
  auto range = [](int64_t offset) { return KernelBuffer{offset, true, ElementType::float32, {{0, 0, 1, true}}}; };
  StepProgram result;
  StepOperation gemm;
  gemm.name = "fc";
  gemm.kernel = {"matmul", {{"k", kK}, {"n", kN}, {"bias", int64_t(1)}}};
  gemm.buffers = {matrix(kX, kK),
                  {kWeight, false, ElementType::float32, {fixedDimension(kN, 1), fixedDimension(kK, kN)}},
                  {kBias, false, ElementType::float32, {fixedDimension(kN, 1)}},
                  matrix(kY, kN)};
  StepOperation relu;
  relu.name = "relu";
  relu.kernel = {"relu", {}};
  relu.buffers = {elements(kY), elements(kRelu)};
  result.forwardBackward = {gemm, relu};
  result.evaluate = {gemm};
  StepOperation sgd;
  sgd.name = "fc.weight";
  sgd.kernel = {"sgd", {{"momentum", int64_t(0)}}};
  sgd.scalars = {{KernelScalar::Source::learningRate}, {KernelScalar::Source::constantFloat, 0}};
  sgd.buffers = {range(kGradient), range(kWeight), range(kWeight)};
  result.updates = {{0, kK * kN, sgd}};
  return result;
}

class GeneratedKernelsTest : public testing::Test {
protected:
  TemporaryFolder folder{"partyline-test"};
  Variable cache{"PARTYLINE_CACHE", (folder.path() / "cache").string()};
  Variable generator{"PARTYLINE_KERNELGEN", TEST_KERNELGEN};
  fs::path file = folder.path() / "step.so";
};

TEST_F(GeneratedKernelsTest, RunOnThisMachine) {
  buildStepLibrary(program(), resolveTarget("host"), "plan", file);
  LoadedLibrary library(file);
  ASSERT_TRUE(library);
  alignas(64) static float arena[kBytes / 4];
  auto at = [&](int64_t offset) { return arena + offset / 4; };
  for (int64_t samples : {int64_t(1), int64_t(3), kCapacity}) {
    std::fill(std::begin(arena), std::end(arena), -1e6f); // memory beyond the extents must stay as it is
    for (int64_t i = 0; i < samples * kK; ++i)
      at(kX)[i] = static_cast<float>(i % 11) - 5;
    for (int64_t i = 0; i < kK * kN; ++i)
      at(kWeight)[i] = static_cast<float>(i % 7) - 3;
    for (int64_t i = 0; i < kN; ++i)
      at(kBias)[i] = static_cast<float>(i) - 3;
    StepCall call{};
    call.arena = reinterpret_cast<uint8_t *>(arena);
    call.samples = static_cast<int32_t>(samples);
    for (int64_t i = 0; i < library->forwardBackwardCount; ++i)
      ASSERT_EQ(library->forwardBackward[i].run(&call), 0);
    for (int64_t m = 0; m < samples; ++m)
      for (int64_t n = 0; n < kN; ++n) {
        float expected = at(kBias)[n];
        for (int64_t k = 0; k < kK; ++k)
          expected += at(kX)[m * kK + k] * at(kWeight)[k * kN + n];
        EXPECT_EQ(at(kY)[m * kN + n], expected) << m << ' ' << n;
        EXPECT_EQ(at(kRelu)[m * kN + n], std::max(0.0f, expected)) << m << ' ' << n;
      }
    EXPECT_EQ(at(kY)[samples * kN], -1e6f);
    EXPECT_EQ(at(kRelu)[samples * kN], -1e6f);
  }

  std::fill_n(at(kGradient), kK * kN, 2.0f);
  std::fill_n(at(kWeight), kK * kN, 1.0f);
  StepCall call{};
  call.arena = reinterpret_cast<uint8_t *>(arena);
  call.first = 3;
  call.count = 10;
  call.learningRate = 0.25f;
  ASSERT_EQ(library->updates[0].op.run(&call), 0);
  for (int64_t i = 0; i < kK * kN; ++i)
    EXPECT_EQ(at(kWeight)[i], i >= 3 && i < 13 ? 0.5f : 1.0f) << i;
}

TEST_F(GeneratedKernelsTest, SameProgramSameBytes) {
  buildStepLibrary(program(), "x86-64-linux", "plan", file);
  const std::string first = readFile(file);
  const Variable other("PARTYLINE_CACHE", (folder.path() / "other-cache").string()); // all kernels made anew
  buildStepLibrary(program(), "x86-64-linux", "plan", file);
  EXPECT_EQ(readFile(file), first);
}

TEST_F(GeneratedKernelsTest, Arm64IsBuiltHere) {
  for (const std::string target : {"arm-64-linux", "arm-64-android"}) {
    buildStepLibrary(program(), target, "plan", file); // checks the undefined symbols
    EXPECT_EQ(readFile(file)[18], char(183));          // EM_AARCH64
  }
}

} // namespace
} // namespace partyline::codegen
