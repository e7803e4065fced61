//===- step_loop_test.cpp - tables, arena, and checks of a library --------===//
#include "runtime/step/step_library.h"
#include "runtime/step/step_loop.h"
#include "tests/runtime/data_files.h"
#include "tests/runtime/tiny_model.h"

#include <sys/stat.h>

using namespace partyline;
using namespace partyline::runtime;
using namespace partyline::testing;

extern "C" const StepLibrary partyline_step_library;

namespace {

/// What the ops below were called with.
std::vector<std::pair<int64_t, int64_t>> calls;

template <int64_t Name> int32_t record(const StepCall *call) {
  calls.emplace_back(Name, call->first * 1000 + call->count);
  return 0;
}

int32_t failing(const StepCall *) { return 42; }

} // namespace

TEST(StepLoop, signalsBucketsAfterTheirOps) {
  const StepOp ops[] = {{record<0>, "a", ""}, {record<1>, "b", ""}, {record<2>, "c", ""}};
  StepLibrary library{.forwardBackward = ops, .forwardBackwardCount = 3};
  ManifestClass deviceClass;
  deviceClass.readyAfter = {1, 0, 2, 1}; // another class may finish them in another order
  Arena arena(64);
  StepLoop loop(library, deviceClass, arena);
  std::vector<std::string> events;
  calls.clear();
  loop.forwardBackward({}, [&](int64_t bucket) {
    events.push_back(std::to_string(bucket) + " after " + std::to_string(calls.back().first));
  });
  EXPECT_EQ(events, (std::vector<std::string>{"1 after 0", "0 after 1", "3 after 1", "2 after 2"}));
  loop.forwardBackward({}, nullptr);
  EXPECT_EQ(calls.size(), 6u);
}

TEST(StepLoop, cutsUpdatesAtTheRange) {
  const StepUpdate updates[] = {
      {0, 10, {record<0>, "a", ""}}, {10, 20, {record<1>, "b", ""}}, {20, 30, {record<2>, "c", ""}}};
  StepLibrary library{.updates = updates, .updateCount = 3};
  ManifestClass deviceClass;
  Arena arena(64);
  StepLoop loop(library, deviceClass, arena);
  calls.clear();
  loop.update({}, 5, 20);
  EXPECT_EQ(calls, (std::vector<std::pair<int64_t, int64_t>>{{0, 5005}, {1, 10010}}));
  calls.clear();
  loop.update({}, 22, 23);
  EXPECT_EQ(calls, (std::vector<std::pair<int64_t, int64_t>>{{2, 22001}}));
}

TEST(StepLoop, namesTheOpThatFails) {
  const StepOp ops[] = {{failing, "layer1/conv", "conv2d_1"}};
  StepLibrary library{.evaluate = ops, .evaluateCount = 1};
  ManifestClass deviceClass;
  Arena arena(64);
  expectError([&] { StepLoop(library, deviceClass, arena).evaluate({.step = 9}); },
              {"layer1/conv", "conv2d_1", "42", "step 9"}, kFailed);
}

TEST(Arena, isAlignedAndZeroed) {
  Arena arena(1000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.base()) % kArenaAlignment, 0u);
  for (int64_t i = 0; i < 1000; ++i)
    ASSERT_EQ(arena.base()[i], 0);
  expectError([] { Arena(int64_t(1) << 60); }, {"MiB of memory"}, kFailed);
}

TEST(StepLibrary, isCheckedAgainstTheManifest) {
  const Manifest manifest = tiny::manifest();
  const ManifestClass &deviceClass = manifest.classes[0];
  EXPECT_NO_THROW(checkStepLibrary(partyline_step_library, manifest, deviceClass, "step.so"));

  StepLibrary library = partyline_step_library;
  library.abiVersion = 99;
  expectError([&] { checkStepLibrary(library, manifest, deviceClass, "step.so"); }, {"step.so", "version 99"});
  library = partyline_step_library;
  library.hash = "another";
  expectError([&] { checkStepLibrary(library, manifest, deviceClass, "step.so"); }, {"step.so", "another plan"});
  library = partyline_step_library;
  library.forwardBackwardCount = 3;
  expectError([&] { checkStepLibrary(library, manifest, deviceClass, "step.so"); }, {"readyAfter"});
  library = partyline_step_library;
  library.evaluate = nullptr;
  expectError([&] { checkStepLibrary(library, manifest, deviceClass, "step.so"); }, {"evaluate"});
  const StepUpdate outside[] = {{0, 1000, {failing, "w", ""}}};
  library = partyline_step_library;
  library.updates = outside;
  library.updateCount = 1;
  expectError([&] { checkStepLibrary(library, manifest, deviceClass, "step.so"); }, {"outside"});
}

TEST(StepLibrary, isRefusedBeforeItIsLoaded) {
  TemporaryFolder folder;
  const Manifest manifest = tiny::writeBinary(folder.path, "", tiny::manifest());
  const std::string path = folder / "step-host.so";
  // The right hash, but no library: the check came through, dlopen did not.
  expectError([&] { LoadedStepLibrary(path, manifest, manifest.classes[0]); }, {"step-host.so", "cannot be loaded"},
              kFailed);
  writeFile(path, "other");
  expectError([&] { LoadedStepLibrary(path, manifest, manifest.classes[0]); }, {"step-host.so", "hash"});
  chmod(path.c_str(), 0664);
  expectError([&] { LoadedStepLibrary(path, manifest, manifest.classes[0]); }, {"step-host.so", "chmod go-w"});
  expectError([&] { LoadedStepLibrary(folder / "none.so", manifest, manifest.classes[0]); }, {"none.so"});
}
