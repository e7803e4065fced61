//===- linker_test.cpp ----------------------------------------------------===//
#include "codegen/linker.h"
#include "runtime/shared/error.h"
#include "runtime/shared/step_abi.h"
#include "runtime/shared/worker_interface.h"
#include "test_support.h"

#include <gtest/gtest.h>

namespace fs = std::filesystem;

namespace partyline::codegen {
namespace {

class LinkerTest : public testing::Test {
protected:
  fs::path compile(const std::string &name, const std::string &source) {
    return compileC(TEST_CC, source, folder.path() / (name + ".o"));
  }
  std::string errorOf(const std::function<void()> &action) {
    try {
      action();
    } catch (const Error &error) {
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }

  TemporaryFolder folder{"partyline-test"};
  fs::path library = folder.path() / "step.so";
  const std::string root = "int kernel(void);\nint (*const partyline_step_library)(void) = kernel;\n";
};

TEST_F(LinkerTest, ExportsTheRootAlone) {
  linkStepLibrary({compile("root", root), compile("kernel", R"(
float expf(float);
void *memset(void *, int, unsigned long);
char bytes[999];
int size;
float x;
int kernel(void) { x = expf(x); memset(bytes, 1, size); return 7; })")},
                  library);
  EXPECT_EQ(undefinedSymbols(library), (std::vector<std::string>{"expf", "memset"}));
  EXPECT_EQ(exportedSymbols(library), std::vector<std::string>{kStepLibrarySymbol});
  checkStepLibrary(library);
  EXPECT_FALSE(fs::exists(library.string() + ".version"));
}

TEST_F(LinkerTest, SegmentsFitPhonesWithLargePages) {
  linkStepLibrary({compile("root", root), compile("kernel", "int kernel(void) { return 7; }")}, library);
  runShell("/usr/lib/llvm-19/bin/llvm-readelf -l '" + library.string() + "' > '" + library.string() + ".txt'");
  const std::string segments = readFile(library.string() + ".txt");
  EXPECT_NE(segments.find("0x4000\n"), std::string::npos) << segments;
  EXPECT_EQ(segments.find("RWE"), std::string::npos) << segments;
}

TEST_F(LinkerTest, SameObjectsSameBytes) {
  const std::vector<fs::path> objects = {compile("root", root), compile("kernel", "int kernel(void) { return 7; }")};
  linkStepLibrary(objects, library);
  linkStepLibrary(objects, folder.path() / "other.so");
  EXPECT_EQ(readFile(library), readFile(folder.path() / "other.so"));
}

TEST_F(LinkerTest, ErrorsCarryTheLinkersMessageAndLinkingGoesOn) {
  const fs::path rootObject = compile("root", root), kernel = compile("kernel", "int kernel(void) { return 7; }");
  EXPECT_NE(errorOf([&] {
              linkStepLibrary({rootObject, kernel, kernel}, library);
            }).find("duplicate symbol: kernel"),
            std::string::npos);
  writeFile(folder.path() / "bad.o", "not an object");
  EXPECT_NE(errorOf([&] { linkStepLibrary({folder.path() / "bad.o"}, library); }).find("bad.o"), std::string::npos);
  linkStepLibrary({rootObject, kernel}, library);
  checkStepLibrary(library);
}

TEST_F(LinkerTest, AnotherUndefinedSymbolIsAnInternalError) {
  linkStepLibrary({compile("root", root), compile("kernel", "int puts(const char *);\n"
                                                            "int kernel(void) { return puts(\"hello\"); }")},
                  library);
  const std::string message = errorOf([&] { checkStepLibrary(library); });
  EXPECT_NE(message.find("internal error"), std::string::npos);
  EXPECT_NE(message.find("puts"), std::string::npos);
  EXPECT_NE(errorOf([&] { checkStepLibrary(folder.path() / "missing.so"); }).find("missing.so"), std::string::npos);
}

TEST_F(LinkerTest, ALibraryWithoutTheRootIsAnError) {
  const fs::path kernel = compile("kernel", "int kernel(void) { return 7; }");
  EXPECT_NE(errorOf([&] { linkStepLibrary({kernel}, library); }).find(kStepLibrarySymbol), std::string::npos);
}

TEST(WorkerInterface, NamesAreThere) {
  EXPECT_TRUE(inWorkerInterface("halide_do_par_for"));
  EXPECT_TRUE(inWorkerInterface("memset"));
  EXPECT_FALSE(inWorkerInterface("halide_error"));
  EXPECT_FALSE(inWorkerInterface(""));
}

} // namespace
} // namespace partyline::codegen
