//===- generator_test.cpp - partyline-kernelgen as a program --------------===//
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <stdlib.h>
#include <sys/wait.h>

namespace {

struct Result {
  int exitCode;
  std::string output; ///< both streams
};

Result kernelgen(const std::string &arguments) {
  FILE *pipe = popen((std::string(PARTYLINE_KERNELGEN) + " " + arguments + " 2>&1").c_str(), "r");
  Result result;
  for (char buffer[4096]; size_t count = fread(buffer, 1, sizeof buffer, pipe);)
    result.output.append(buffer, count);
  const int status = pclose(pipe);
  result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

class Generator : public testing::Test {
protected:
  Generator() {
    folder = (std::filesystem::temp_directory_path() / "partyline-generator-XXXXXX").string();
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
  }
  ~Generator() override { std::filesystem::remove_all(folder); }

  Result generate(const std::string &specification, const std::string &options = "") {
    std::ofstream(folder + "/kernels.json") << specification;
    return kernelgen(options + " --output " + folder + "/objects " + folder + "/kernels.json");
  }
  void expectRefused(const std::string &specification, const std::string &message) {
    const Result result = generate(specification);
    EXPECT_EQ(result.exitCode, 2) << specification;
    EXPECT_NE(result.output.find(message), std::string::npos) << result.output;
  }

  std::string folder;
};

} // namespace

TEST_F(Generator, ListsFamilies) {
  const Result result = kernelgen("--families");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_NE(result.output.find("\nmatmul: k n bias candidate<6\n"), std::string::npos) << result.output;
}

TEST_F(Generator, ResolvesTargets) {
  const Result result = kernelgen("--resolve-target arm-64-android");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.output, "arm-64-android-no_asserts-no_bounds_query-no_runtime\n");
  EXPECT_EQ(kernelgen("--resolve-target host").output.find("host"), std::string::npos);
  EXPECT_EQ(kernelgen("--resolve-target arm-65-plan9").exitCode, 2);
  EXPECT_EQ(kernelgen("--resolve-target ''").exitCode, 2);
}

TEST_F(Generator, WritesOneObjectPerKernelWithSeveralJobs) {
  const Result result = generate(R"([{"symbol": "a", "family": "matmul", "parameters": {"k": 3, "n": 4, "bias": 0}},
                                     {"symbol": "b", "family": "matmul", "parameters": {"k": 5, "n": 1, "bias": 1}},
                                     {"symbol": "c", "family": "matmul", "parameters": {"k": 1, "n": 2, "bias": 0}}])",
                                 "--jobs 2");
  EXPECT_EQ(result.exitCode, 0) << result.output;
  for (const char *name : {"a", "b", "c"}) {
    EXPECT_TRUE(std::filesystem::exists(folder + "/objects/" + name + ".o"));
    EXPECT_NE(result.output.find(std::string(name) + " matmul "), std::string::npos) << result.output;
  }
  size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder + "/objects"))
    files += entry.is_regular_file();
  EXPECT_EQ(files, 3u) << "unfinished files are left";
}

TEST_F(Generator, RefusesWrongSpecifications) {
  expectRefused("[{", "kernels.json");
  expectRefused("{}", "not an array");
  expectRefused("[{\"symbol\": \"s\"}]", "family");
  expectRefused(R"([{"symbol": "s", "family": "warp", "parameters": {}}])", "no kernel family 'warp'");
  expectRefused(R"([{"symbol": "../s", "family": "matmul", "parameters": {"k": 1, "n": 1, "bias": 0}}])",
                "no C identifier");
  expectRefused(R"([{"symbol": "s", "family": "matmul", "parameters": {"k": 1, "n": 1}}])",
                "needs the parameter 'bias'");
  expectRefused(R"([{"symbol": "s", "family": "matmul", "parameters": {"k": 1, "n": 1, "bias": 0, "m": 2}}])",
                "has no parameter 'm'");
  expectRefused(R"([{"symbol": "s", "family": "matmul", "parameters": {"k": 1, "n": 1, "bias": 0}},
                    {"symbol": "s", "family": "matmul", "parameters": {"k": 1, "n": 1, "bias": 0}}])",
                "used twice");
  expectRefused(R"([{"symbol": "s", "family": "matmul", "parameters": {"k": 1, "n": 1, "bias": 0, "candidate": 6}}])",
                "candidates 0 to 5, not 6");
  expectRefused(R"([{"symbol": "s", "family": "relu", "parameters": {"candidate": 0}}])", "has no parameter");
  expectRefused(R"([{"symbol": "s", "family": "matmul", "parameters": {"k": 1e10, "n": 1, "bias": 0}}])", "integer");
  expectRefused(R"([{"symbol": "s", "family": "matmul", "parameters": {"k": 10000000000, "n": 1, "bias": 0}}])",
                "32 bits");
}

TEST_F(Generator, NamesTheKernelThatFails) {
  const Result result = generate(R"([{"symbol": "s", "family": "matmul", "parameters": {"k": 0, "n": 7, "bias": 0}}])");
  EXPECT_EQ(result.exitCode, 2);
  for (const char *part : {"kernel s", "family matmul", "\"n\":7", "'k' must be 1 or more"})
    EXPECT_NE(result.output.find(part), std::string::npos) << result.output;
  EXPECT_FALSE(std::filesystem::exists(folder + "/objects/s.o"));
}
