//===- step_library_test.cpp - the step ABI, seen by kernels --------------===//
//
// Kernels here are C functions that write down all they were called with. So what an adaptor passes is compared with
// Halide's own header, without Halide.
//
//===----------------------------------------------------------------------===//
#include "codegen/kernel_library.h"
#include "codegen/linker.h"
#include "codegen/step_emitter.h"
#include "codegen/step_library.h"
#include "runtime/shared/error.h"
#include "test_support.h"

#include <HalideRuntime.h>
#include <gtest/gtest.h>

#include <cstring>

namespace fs = std::filesystem;

namespace partyline::codegen {
namespace {

using Source = KernelScalar::Source;

/// What the probe kernel writes to the memory of its second buffer. The same text is compiled as C.
#define PROBE_RECORD                                                                                                   \
  struct ProbeRecord {                                                                                                 \
    float floats[5];                                                                                                   \
    uint32_t integers[4];                                                                                              \
    struct halide_buffer_t buffers[2];                                                                                 \
    struct halide_dimension_t dimensions[2][4];                                                                        \
  };
PROBE_RECORD

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)

std::string probeSource(const std::string &symbol) {
  return std::string("#include <HalideRuntime.h>\n") + TEXT(PROBE_RECORD) + "\nint " + symbol + R"(
(float constant, int32_t fixed, int32_t accumulate, float scale, float weight, float rate, uint32_t seed,
 uint32_t step, struct halide_buffer_t *a, struct halide_buffer_t *b) {
  struct ProbeRecord *record = (struct ProbeRecord *)b->host;
  record->floats[0] = constant; record->floats[1] = scale; record->floats[2] = weight; record->floats[3] = rate;
  record->integers[0] = fixed; record->integers[1] = accumulate; record->integers[2] = seed; record->integers[3] = step;
  record->buffers[0] = *a; record->buffers[1] = *b;
  for (int i = 0; i < a->dimensions; ++i) record->dimensions[0][i] = a->dim[i];
  for (int i = 0; i < b->dimensions; ++i) record->dimensions[1][i] = b->dim[i];
  return 40 + b->dimensions;
})";
}

constexpr int64_t kRecordOffset = 1024, kEvaluateRecordOffset = 2048, kUpdateRecordOffset = 8192;

StepOperation probe(const std::string &name, int64_t inputOffset, int64_t recordOffset) {
  StepOperation operation;
  operation.name = name;
  operation.kernel = {"probe", {{"answer", int64_t(42)}}};
  operation.scalars = {{Source::constantFloat, 0.1}, {Source::constantInt, -7}, {Source::accumulate}, {Source::scale},
                       {Source::sampleWeight},       {Source::learningRate},    {Source::seed},       {Source::step}};
  KernelBuffer input{inputOffset, false, ElementType::float32, {fixedDimension(5, 1), batchDimension(3, 5)}};
  input.dimensions.push_back({2, 7, 0, false});
  operation.buffers = {input, {recordOffset, false, ElementType::uint16, {batchDimension(1, 1)}}};
  operation.work = {1.5, 2.5, 3.5, 4.5, 5.5, 6.5};
  return operation;
}

StepProgram probeProgram() {
  StepProgram program;
  program.forwardBackward = {probe("conv1/Conv", 128, kRecordOffset), probe("named \"otherwise\"", 128, kRecordOffset)};
  program.evaluate = {probe("conv1/Conv", 192, kEvaluateRecordOffset)};
  StepOperation update = probe("weight", 256, kUpdateRecordOffset);
  for (KernelBuffer &buffer : update.buffers) {
    buffer.followsRange = true;
    buffer.dimensions = {{0, 0, 1, true}};
  }
  program.updates = {{64, 640, update}};
  return program;
}

class StepLibraryTest : public testing::Test {
protected:
  /// Links the program with a probe kernel compiled by `compiler`.
  fs::path build(const StepProgram &program, const std::string &target, const std::string &compiler) {
    writeFile(folder.path() / "step.o", emitStepObject(program, target, "plan-hash"));
    const std::string symbol = kernelSymbol(program.forwardBackward[0].kernel);
    compileC(compiler + " -I" TEST_HALIDE_INCLUDE, probeSource(symbol), folder.path() / "probe.o");
    linkStepLibrary({folder.path() / "step.o", folder.path() / "probe.o"}, folder.path() / "step.so");
    return folder.path() / "step.so";
  }

  TemporaryFolder folder{"partyline-test"};
  alignas(64) uint8_t arena[16384] = {};

  StepCall call(int32_t samples) {
    StepCall result{};
    result.arena = arena;
    result.first = 100;
    result.count = 33;
    result.samples = samples;
    result.accumulate = 1;
    result.scale = 0.25f;
    result.sampleWeight = 0.75f;
    result.learningRate = 0.5f;
    result.seed = 0xfedcba98u;
    result.step = 4000000000u;
    return result;
  }

  ProbeRecord record(int64_t offset) {
    ProbeRecord result;
    std::memcpy(&result, arena + offset, sizeof result);
    return result;
  }
};

TEST_F(StepLibraryTest, TablesNameTheirOps) {
  const fs::path file = build(probeProgram(), "x86-64-linux", TEST_CC);
  LoadedLibrary library(file);
  ASSERT_TRUE(library);
  EXPECT_EQ(library->abiVersion, kStepAbiVersion);
  EXPECT_STREQ(library->hash, "plan-hash");
  ASSERT_EQ(library->forwardBackwardCount, 2);
  ASSERT_EQ(library->evaluateCount, 1);
  ASSERT_EQ(library->updateCount, 1);
  EXPECT_STREQ(library->forwardBackward[0].name, "conv1/Conv");
  EXPECT_STREQ(library->forwardBackward[1].name, "named \"otherwise\"");
  EXPECT_EQ(library->forwardBackward[0].kernel, kernelSymbol(probeProgram().evaluate[0].kernel));
  EXPECT_EQ(library->updates[0].first, 64);
  EXPECT_EQ(library->updates[0].last, 640);
  EXPECT_STREQ(library->updates[0].op.name, "weight");
  for (const StepWork &work : {library->forwardBackward[1].work, library->updates[0].op.work}) {
    EXPECT_EQ(work.operations, 1.5);
    EXPECT_EQ(work.operationsPerSample, 2.5);
    EXPECT_EQ(work.bytes, 3.5);
    EXPECT_EQ(work.bytesPerSample, 4.5);
    EXPECT_EQ(work.written, 5.5);
    EXPECT_EQ(work.writtenPerSample, 6.5);
  }
  // Ops that differ in their name alone share an adaptor.
  EXPECT_EQ(library->forwardBackward[0].run, library->forwardBackward[1].run);
  EXPECT_NE(library->forwardBackward[0].run, library->evaluate[0].run);
  EXPECT_FALSE(library.symbol(library->forwardBackward[0].kernel)); // kernels are hidden
}

TEST_F(StepLibraryTest, AdaptorsPassScalarsAndBuffers) {
  LoadedLibrary library(build(probeProgram(), "x86-64-linux-avx2-fma", TEST_CC));
  ASSERT_TRUE(library);
  for (int32_t samples : {1, 2, 17}) {
    const StepCall stepCall = call(samples);
    EXPECT_EQ(library->forwardBackward[0].run(&stepCall), 41); // the kernel's own status
    const ProbeRecord seen = record(kRecordOffset);
    EXPECT_EQ(seen.floats[0], 0.1f);
    EXPECT_EQ(seen.floats[1], stepCall.scale);
    EXPECT_EQ(seen.floats[2], stepCall.sampleWeight);
    EXPECT_EQ(seen.floats[3], stepCall.learningRate);
    EXPECT_EQ(static_cast<int32_t>(seen.integers[0]), -7);
    EXPECT_EQ(seen.integers[1], 1u);
    EXPECT_EQ(seen.integers[2], stepCall.seed);
    EXPECT_EQ(seen.integers[3], stepCall.step);

    const halide_buffer_t &input = seen.buffers[0];
    EXPECT_EQ(input.host, arena + 128);
    EXPECT_EQ(input.device, 0u);
    EXPECT_EQ(input.device_interface, nullptr);
    EXPECT_EQ(input.flags, 0u);
    EXPECT_TRUE(input.type == halide_type_of<float>());
    ASSERT_EQ(input.dimensions, 3);
    EXPECT_TRUE(seen.dimensions[0][0] == halide_dimension_t(0, 5, 1));
    EXPECT_TRUE(seen.dimensions[0][1] == halide_dimension_t(0, 3 * samples, 5));
    EXPECT_TRUE(seen.dimensions[0][2] == halide_dimension_t(0, 2 * samples + 7, 0));

    EXPECT_TRUE(seen.buffers[1].type == halide_type_of<uint16_t>());
    ASSERT_EQ(seen.buffers[1].dimensions, 1);
    EXPECT_TRUE(seen.dimensions[1][0] == halide_dimension_t(0, samples, 1));
  }
  const StepCall stepCall = call(3);
  library->evaluate[0].run(&stepCall);
  EXPECT_EQ(record(kEvaluateRecordOffset).buffers[0].host, arena + 192);
}

TEST_F(StepLibraryTest, UpdatesFollowTheirRange) {
  LoadedLibrary library(build(probeProgram(), "x86-64-linux", TEST_CC));
  ASSERT_TRUE(library);
  const StepCall stepCall = call(1);
  library->updates[0].op.run(&stepCall);
  const ProbeRecord seen = record(kUpdateRecordOffset + 100 * 2); // first = 100 elements of uint16
  EXPECT_EQ(seen.buffers[0].host, arena + 256 + 100 * 4);
  EXPECT_TRUE(seen.dimensions[0][0] == halide_dimension_t(0, 33, 1));
  EXPECT_TRUE(seen.dimensions[1][0] == halide_dimension_t(0, 33, 1));
}

TEST_F(StepLibraryTest, EmptyPhasesAreNull) {
  StepProgram program = probeProgram();
  program.evaluate.clear();
  program.updates.clear();
  LoadedLibrary library(build(program, "x86-64-linux", TEST_CC));
  ASSERT_TRUE(library);
  EXPECT_EQ(library->evaluate, nullptr);
  EXPECT_EQ(library->evaluateCount, 0);
  EXPECT_EQ(library->updates, nullptr);
  EXPECT_EQ(library->updateCount, 0);
}

TEST_F(StepLibraryTest, BuffersWithoutDimensions) {
  StepProgram program = probeProgram();
  program.forwardBackward[0].buffers[1].dimensions.clear();
  LoadedLibrary library(build(program, "x86-64-linux", TEST_CC));
  ASSERT_TRUE(library);
  const StepCall stepCall = call(1);
  EXPECT_EQ(library->forwardBackward[0].run(&stepCall), 40);
  EXPECT_EQ(record(kRecordOffset).buffers[1].dim, nullptr);
}

TEST_F(StepLibraryTest, Arm64RunsTheSame) {
  if (!*TEST_AARCH64_CC || !*TEST_QEMU_AARCH64)
    GTEST_SKIP() << "needs aarch64-linux-gnu-gcc and qemu-aarch64";
  const fs::path library = build(probeProgram(), "arm-64-linux", TEST_AARCH64_CC);
  checkStepLibrary(library);
  const std::string header = readFile(library).substr(0, 20);
  EXPECT_EQ(header.substr(1, 3), "ELF");
  EXPECT_EQ(header[18], char(183)); // EM_AARCH64

  // A worker in little: calls the op for two samples and checks what arrived.
  writeFile(folder.path() / "main.c",
            std::string("#include <HalideRuntime.h>\n#include <dlfcn.h>\n") + TEXT(PROBE_RECORD) + R"(
struct Call { uint8_t *arena; int64_t first, count; int32_t samples, accumulate; float f[3]; uint32_t seed, step, r; };
struct Op { int32_t (*run)(const struct Call *); const char *name, *kernel; };
struct Library { uint32_t version, reserved; const char *hash; const struct Op *ops; int64_t count; };
static uint8_t arena[16384] __attribute__((aligned(64)));
int main(int argc, char **argv) {
  void *handle = dlopen(argv[1], RTLD_NOW);
  if (!handle) return 2;
  const struct Library *library = dlsym(handle, "partyline_step_library");
  struct Call call = {arena, 0, 0, 2, 1, {0.25f, 0.5f, 0.75f}, 5, 6, 0};
  if (library->count != 2 || library->ops[0].run(&call) != 41) return 3;
  const struct ProbeRecord *seen = (struct ProbeRecord *)(arena + 1024);
  if (seen->floats[0] != 0.1f || seen->floats[2] != 0.5f || seen->integers[3] != 6) return 4;
  if (seen->buffers[0].host != arena + 128 || seen->buffers[1].type.bits != 16) return 5;
  return seen->dimensions[0][1].extent == 6 && seen->dimensions[0][2].extent == 11 ? 0 : 6;
})");
  const std::string main = (folder.path() / "main").string();
  runShell(TEST_AARCH64_CC " -I" TEST_HALIDE_INCLUDE " " + main + ".c -o " + main + " -ldl");
  runShell(TEST_QEMU_AARCH64 " -L /usr/aarch64-linux-gnu " + main + " " + library.string());
}

TEST_F(StepLibraryTest, AndroidAndUnknownTargets) {
  EXPECT_FALSE(emitStepObject(probeProgram(), "arm-64-android-arm_dot_prod", "h").empty());
  EXPECT_NE(printStepModule(probeProgram(), "arm-64-android", "h").find("aarch64-unknown-linux-android"),
            std::string::npos);
  try {
    emitStepObject(probeProgram(), "riscv-64-linux", "h");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.exitCode, kCannot);
    EXPECT_NE(std::string(error.what()).find("riscv-64-linux"), std::string::npos);
  }
  EXPECT_THROW(emitStepObject(probeProgram(), "x86-64-linuxx", "h"), Error);
}

TEST_F(StepLibraryTest, EmissionIsDeterministic) {
  EXPECT_EQ(emitStepObject(probeProgram(), "x86-64-linux", "h"), emitStepObject(probeProgram(), "x86-64-linux", "h"));
  EXPECT_NE(emitStepObject(probeProgram(), "x86-64-linux", "h"), emitStepObject(probeProgram(), "x86-64-linux", "g"));
}

TEST_F(StepLibraryTest, PrintsTheLlvmDialect) {
  const std::string text = printStepModule(probeProgram(), "x86-64-linux", "h");
  EXPECT_NE(text.find("llvm.mlir.global external constant @partyline_step_library"), std::string::npos) << text;
  EXPECT_NE(text.find("llvm.call @probe_"), std::string::npos);
}

TEST_F(StepLibraryTest, ManyOps) {
  StepProgram program;
  for (int64_t i = 0; i < 1000; ++i)
    program.forwardBackward.push_back(probe("op" + std::to_string(i), i * 64, kRecordOffset));
  LoadedLibrary library(build(program, "x86-64-linux", TEST_CC));
  ASSERT_TRUE(library);
  const StepCall stepCall = call(1);
  library->forwardBackward[150].run(&stepCall);
  EXPECT_EQ(record(kRecordOffset).buffers[0].host, arena + 150 * 64);
  EXPECT_STREQ(library->forwardBackward[999].name, "op999");
}

TEST_F(StepLibraryTest, RefusesWhatKernelsCannotAddress) {
  StepProgram program = probeProgram();
  program.forwardBackward[1].buffers[0].dimensions[1].stride = int64_t(1) << 31;
  try {
    emitStepObject(program, "x86-64-linux", "h");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.exitCode, kCannot);
    EXPECT_NE(std::string(error.what()).find("named \"otherwise\""), std::string::npos);
  }
  program = probeProgram();
  program.forwardBackward[0].buffers[0].offset = 130;
  EXPECT_THROW(emitStepObject(program, "x86-64-linux", "h"), Error);
  program = probeProgram();
  program.evaluate[0].scalars.pop_back(); // the same kernel with other arguments
  EXPECT_THROW(emitStepObject(program, "x86-64-linux", "h"), Error);
}

TEST(KernelsOf, AreDistinct) {
  StepProgram program = probeProgram();
  EXPECT_EQ(kernelsOf(program).size(), 1u);
  program.evaluate[0].kernel.parameters["answer"] = int64_t(43);
  EXPECT_EQ(kernelsOf(program).size(), 2u);
}

} // namespace
} // namespace partyline::codegen
