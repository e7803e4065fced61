//===- kernel_library_test.cpp - symbols, the generator and the cache -----===//
#include "codegen/kernel_library.h"
#include "codegen/linker.h"
#include "runtime/shared/error.h"
#include "test_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace fs = std::filesystem;

namespace partyline::codegen {
namespace {

const KernelSpec kRelu{"relu", {}};
const KernelSpec kMatmul{"matmul", {{"k", int64_t(400)}, {"n", int64_t(120)}, {"bias", int64_t(1)}}};
const KernelSpec kReduce{"reduce_sum", {{"pattern", std::string("krk")}}};

TEST(KernelSymbol, IsTheHashOfTheSpec) {
  EXPECT_EQ(canonicalJson(kMatmul), R"({"family":"matmul","parameters":{"bias":1,"k":400,"n":120}})");
  const std::string symbol = kernelSymbol(kMatmul);
  EXPECT_EQ(symbol.size(), std::string("matmul_").size() + 16);
  EXPECT_EQ(symbol.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"), std::string::npos);
  EXPECT_EQ(symbol, kernelSymbol(KernelSpec(kMatmul)));
  KernelSpec other = kMatmul;
  other.parameters["k"] = int64_t(401);
  EXPECT_NE(symbol, kernelSymbol(other));
}

TEST(KernelSymbol, KeepsTheTypeOfNumbers) {
  const KernelSpec integer{"f", {{"x", int64_t(1)}}}, real{"f", {{"x", 1.0}}};
  EXPECT_EQ(canonicalJson(real), R"({"family":"f","parameters":{"x":1.0}})");
  EXPECT_NE(kernelSymbol(integer), kernelSymbol(real));
}

class KernelLibraryTest : public testing::Test {
protected:
  KernelLibraryTest() { fs::copy_file(TEST_FAKE_KERNELGEN, folder.path() / "kernelgen"); }

  std::vector<fs::path> generate(const std::vector<KernelSpec> &specs, const std::string &target = "x86-64-linux") {
    return generateKernels(specs, target, 3);
  }
  /// How many kernels the generator has made so far.
  size_t generated() {
    if (!fs::exists(log))
      return 0;
    const std::string text = readFile(log);
    return std::count(text.begin(), text.end(), '\n');
  }
  std::string errorOf(const std::vector<KernelSpec> &specs) {
    try {
      generate(specs);
    } catch (const Error &error) {
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }
  size_t filesInCache() {
    size_t count = 0;
    for (const auto &entry : fs::recursive_directory_iterator(folder.path() / "cache"))
      count += !entry.is_directory();
    return count;
  }

  TemporaryFolder folder{"partyline-test"};
  fs::path log = folder.path() / "log";
  Variable cache{"PARTYLINE_CACHE", (folder.path() / "cache").string()};
  Variable generator{"PARTYLINE_KERNELGEN", (folder.path() / "kernelgen").string()};
  Variable logVariable{"FAKE_LOG", log.string()};
  Variable compiler{"FAKE_CC", TEST_CC};
};

TEST_F(KernelLibraryTest, MakesEachKernelOnce) {
  const std::vector<fs::path> objects = generate({kRelu, kMatmul, kRelu});
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[0].filename(), kernelSymbol(kMatmul) + ".o"); // in the order of symbols
  EXPECT_EQ(generated(), 2u);
  EXPECT_EQ(generate({kRelu, kMatmul}), objects);
  EXPECT_EQ(generated(), 2u);
  generate({kRelu, kReduce});
  EXPECT_EQ(generated(), 3u);
  EXPECT_EQ(filesInCache(), 3u); // nothing unfinished is left
  EXPECT_NE(readFile(log).find(kernelSymbol(kReduce) + " x86-64-linux 3\n"), std::string::npos);
}

TEST_F(KernelLibraryTest, ReportsProgress) {
  std::vector<std::pair<size_t, size_t>> seen;
  generateKernels({kRelu, kMatmul}, "x86-64-linux", 1,
                  [&](size_t done, size_t missing) { seen.emplace_back(done, missing); });
  EXPECT_EQ(seen, (std::vector<std::pair<size_t, size_t>>{{1, 2}, {2, 2}}));
}

TEST_F(KernelLibraryTest, CachedObjectsLink) {
  std::vector<fs::path> objects = generate({kRelu});
  const std::string symbol = kernelSymbol(kRelu);
  objects.push_back(compileC(TEST_CC,
                             "int " + symbol + "(void); int (*const partyline_step_library)(void) = " + symbol + ";",
                             folder.path() / "root.o"));
  linkStepLibrary(objects, folder.path() / "step.so");
  checkStepLibrary(folder.path() / "step.so");
}

TEST_F(KernelLibraryTest, TargetsAndGeneratorsDoNotShare) {
  const fs::path first = generate({kRelu})[0];
  EXPECT_NE(generate({kRelu}, "x86-64-linux-avx2")[0], first);
  EXPECT_EQ(generated(), 2u);
  writeFile(folder.path() / "kernelgen", readFile(folder.path() / "kernelgen") + "# another build\n");
  EXPECT_NE(generate({kRelu})[0], first);
  EXPECT_EQ(generated(), 3u);
}

TEST_F(KernelLibraryTest, DamagedEntriesAreMadeAgain) {
  const fs::path object = generate({kRelu})[0];
  const std::string whole = readFile(object);
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 1;
  size_t expected = 1;
  for (const std::string &damaged : {std::string(), whole.substr(0, whole.size() - 1), whole.substr(0, 100), flipped}) {
    writeFile(object, damaged);
    generate({kRelu});
    EXPECT_EQ(generated(), ++expected);
    EXPECT_EQ(readFile(object), whole);
  }
}

TEST_F(KernelLibraryTest, GeneratorsMessageIsPassedOn) {
  const Variable mode("FAKE_MODE", "fail");
  const std::string message = errorOf({kRelu});
  EXPECT_NE(message.find("family 'relu' has no parameter 'size'"), std::string::npos) << message;
  EXPECT_NE(message.find("x86-64-linux"), std::string::npos) << message;
  EXPECT_EQ(filesInCache(), 0u);
}

TEST_F(KernelLibraryTest, ObjectsAreChecked) {
  {
    const Variable mode("FAKE_MODE", "empty");
    EXPECT_NE(errorOf({kRelu}).find(kernelSymbol(kRelu)), std::string::npos);
  }
  {
    const Variable mode("FAKE_MODE", "silent");
    EXPECT_NE(errorOf({kRelu}).find(kernelSymbol(kRelu)), std::string::npos);
  }
  generate({kRelu});
}

TEST_F(KernelLibraryTest, CompilersShareTheCache) {
  std::vector<std::thread> compilers;
  for (int i = 0; i < 4; ++i)
    compilers.emplace_back([&] { generate({kRelu, kMatmul, kReduce}); });
  for (std::thread &compiler : compilers)
    compiler.join();
  const size_t before = generated();
  EXPECT_EQ(generate({kRelu, kMatmul, kReduce}).size(), 3u);
  EXPECT_EQ(generated(), before);
  EXPECT_EQ(filesInCache(), 3u);
}

TEST_F(KernelLibraryTest, ResolvesTargets) {
  EXPECT_EQ(resolveTarget("host"), "x86-64-linux-sse41");
  EXPECT_EQ(resolveTarget("arm-64-android"), "arm-64-android");
  try {
    resolveTarget("nonsense");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.exitCode, kWrongInput);
    EXPECT_NE(std::string(error.what()).find("'nonsense' is no target"), std::string::npos);
  }
}

TEST_F(KernelLibraryTest, SaysWhereTheGeneratorIsNot) {
  {
    const Variable wrong("PARTYLINE_KERNELGEN", "/nowhere/kernelgen");
    EXPECT_NE(errorOf({kRelu}).find("/nowhere/kernelgen"), std::string::npos);
  }
  writeFile(folder.path() / "plain", "no program");
  const Variable plain("PARTYLINE_KERNELGEN", (folder.path() / "plain").string());
  EXPECT_NE(errorOf({kRelu}).find("cannot start"), std::string::npos);
}

TEST_F(KernelLibraryTest, CacheThatCannotBeMade) {
  const Variable wrong("PARTYLINE_CACHE", (folder.path() / "kernelgen").string()); // a file
  EXPECT_NE(errorOf({kRelu}).find("PARTYLINE_CACHE"), std::string::npos);
}

TEST(CacheFolder, FollowsTheEnvironment) {
  const Variable home("HOME", "/home/somebody");
  const Variable chosen("PARTYLINE_CACHE", ""), none("XDG_CACHE_HOME", "");
  EXPECT_EQ(cacheFolder(), "/home/somebody/.cache/partyline");
  const Variable caches("XDG_CACHE_HOME", "/caches");
  EXPECT_EQ(cacheFolder(), "/caches/partyline");
  const Variable own("PARTYLINE_CACHE", "/own");
  EXPECT_EQ(cacheFolder(), "/own");
}

} // namespace
} // namespace partyline::codegen
