//===- worker_test.cpp - the worker under mpirun --------------------------===//
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/shared/worker_interface.h"
#include "tests/runtime/data_files.h"
#include "tests/runtime/mpi/worker_job.h"
#include "tests/runtime/tiny_model.h"

#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/stat.h>

using namespace partyline;
using namespace partyline::testing;

namespace {

class Worker : public ::testing::Test {
protected:
  void SetUp() override {
    tiny::writeBinary(binary, TINY_STEP_LIBRARY, tiny::manifest());
    data = tiny::writeData(folder.path, 29, 10);
  }

  /// mpirun -n RANKS partyline-worker train BINARY --data DATA OPTIONS
  WorkerJob start(int ranks, const std::vector<std::string> &options, const std::string &environment = "") {
    std::vector<std::string> command = {"-n", std::to_string(ranks), PARTYLINE_WORKER, "train", binary, "--data", data};
    command.insert(command.end(), options.begin(), options.end());
    return WorkerJob(command, environment);
  }

  std::vector<double> losses(const std::string &log) {
    std::vector<double> result;
    std::istringstream lines(readFile(log));
    for (std::string line; std::getline(lines, line);) {
      const nlohmann::json record = nlohmann::json::parse(line);
      if (record.contains("step"))
        result.push_back(record.at("loss"));
    }
    return result;
  }

  TemporaryFolder folder;
  const std::string binary = folder / "tiny.party";
  std::string data;
};

} // namespace

TEST_F(Worker, givesTheSameLossesOnAnyNumberOfRanks) {
  std::vector<double> expected;
  for (int ranks : {1, 2, 4}) {
    const std::string log = folder / std::to_string(ranks);
    const JobResult result = start(ranks, {"--epochs", "3", "--log", log}).wait();
    ASSERT_EQ(result.exitCode, 0) << result.output;
    EXPECT_NE(result.output.find("top 1"), std::string::npos) << result.output;
    const std::vector<double> found = losses(log);
    if (ranks == 1)
      expected = found;
    ASSERT_EQ(found.size(), 12u);
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-5) << "step " << i << " on " << ranks << " ranks";
  }
}

TEST_F(Worker, resumesWithTheSameBits) {
  const auto train = [&](const std::string &checkpoint, std::vector<std::string> options) {
    options.insert(options.end(), {"--checkpoint", folder / checkpoint});
    const JobResult result = start(2, options).wait();
    ASSERT_EQ(result.exitCode, 0) << result.output;
  };
  train("whole", {"--steps", "10"});
  train("parts", {"--steps", "6"});
  train("parts", {"--steps", "10", "--resume"});
  const std::string name = "/" + runtime::checkpointFileName(10);
  EXPECT_EQ(readFile(folder / ("parts" + name)), readFile(folder / ("whole" + name)));
}

TEST_F(Worker, oneKilledRankEndsTheJob) {
  WorkerJob job = start(4, {"--epochs", "1000", "--checkpoint", folder / "ckpt"}, "TINY_STEP_MS=20");
  const std::vector<int> ranks = job.waitForRanks(4);
  job.waitForFile(folder / "ckpt");
  ASSERT_EQ(kill(ranks[2], SIGKILL), 0);
  const JobResult result = job.wait(10);
  EXPECT_FALSE(result.timedOut);
  EXPECT_NE(result.exitCode, 0);
  EXPECT_NE(result.output.find("rank 2"), std::string::npos) << result.output;
  // What it left can be used.
  const JobResult resumed = start(3, {"--steps", "9", "--checkpoint", folder / "ckpt", "--resume"}).wait();
  EXPECT_EQ(resumed.exitCode, 0) << resumed.output;
  EXPECT_NE(resumed.output.find("resumed after step"), std::string::npos) << resumed.output;
}

TEST_F(Worker, oneFrozenRankEndsTheJob) {
  WorkerJob job = start(3, {"--epochs", "1000", "--watchdog", "2", "--checkpoint", folder / "ckpt"}, "TINY_STEP_MS=20");
  const std::vector<int> ranks = job.waitForRanks(3);
  job.waitForFile(folder / "ckpt");
  ASSERT_EQ(kill(ranks[1], SIGSTOP), 0);
  const JobResult result = job.wait(15);
  EXPECT_FALSE(result.timedOut);
  EXPECT_NE(result.exitCode, 0);
  EXPECT_NE(result.output.find("for a message from rank 1 (host"), std::string::npos) << result.output;
}

TEST_F(Worker, refusesDifferingManifests) {
  Manifest other = tiny::manifest();
  other.options.learningRate = 0.2;
  const std::string otherBinary = folder / "other.party";
  tiny::writeBinary(otherBinary, TINY_STEP_LIBRARY, other);
  const JobResult result = WorkerJob({"-n", "1", PARTYLINE_WORKER, "train", binary, "--data", data, ":", "-n", "1",
                                      PARTYLINE_WORKER, "train", otherBinary, "--data", data})
                               .wait();
  EXPECT_EQ(result.exitCode, 2) << result.output;
  EXPECT_NE(result.output.find("the manifest.json of rank 1 (host"), std::string::npos) << result.output;
}

TEST_F(Worker, refusesWhatIsNotAsCompiled) {
  const auto expectRefused = [&](const std::string &text) {
    const JobResult result = start(2, {"--steps", "1"}).wait();
    EXPECT_EQ(result.exitCode, 2) << result.output;
    EXPECT_NE(result.output.find(text), std::string::npos) << result.output;
    EXPECT_EQ(result.output.find(text), result.output.rfind(text)) << "said once: " << result.output;
  };
  const std::string library = binary + "/step-host.so", manifest = binary + "/manifest.json";
  chmod(library.c_str(), 0666);
  expectRefused("others than its owner may change it");
  chmod(library.c_str(), 0644);
  chmod(manifest.c_str(), 0664);
  expectRefused("others than its owner may change it");
  chmod(manifest.c_str(), 0644);
  writeFile(library, readFile(library) + "x");
  expectRefused("step-host.so: its hash is");
  tiny::writeBinary(binary, TINY_STEP_LIBRARY, tiny::manifest());
  writeFile(binary + "/parameters.bin", "short");
  expectRefused("parameters.bin");
  writeFile(manifest, "{}");
  expectRefused("manifest.json: version is missing");
}

// A library that needs every symbol of the interface, and has nothing else: it loads, and is refused for what it lacks.
TEST_F(Worker, providesItsPublishedInterface) {
  const auto resultWith = [&](const std::string &symbols) {
    const std::string source = writeFile(folder / "needs.c", symbols), library = folder / "needs.so";
    const std::string compile = std::string(PARTYLINE_C_COMPILER) + " -w -ffreestanding -fno-builtin -shared -fPIC " +
                                "-nostdlib -o " + library + " " + source;
    EXPECT_EQ(std::system(compile.c_str()), 0) << compile;
    tiny::writeBinary(binary, library, tiny::manifest());
    return start(1, {"--steps", "1"}).wait();
  };
  std::string declarations, uses;
  for (const std::string_view symbol : kWorkerInterface) {
    declarations += "extern void " + std::string(symbol) + "(void);\n";
    uses += std::string(symbol) + ", ";
  }
  const JobResult result = resultWith(declarations + "void (*needed[])(void) = {" + uses + "};\n");
  EXPECT_NE(result.output.find("has no symbol partyline_step_library"), std::string::npos) << result.output;
  const JobResult other = resultWith("extern void halide_error(void); void (*needed)(void) = halide_error;\n");
  EXPECT_NE(other.output.find("cannot be loaded on this machine"), std::string::npos) << other.output;
}

TEST_F(Worker, namesARankWhoseKernelFails) {
  // Step 1000 fails in tiny_step.cpp.
  const JobResult result = start(2, {"--steps", "1001", "--val-every", "0", "--hash-every", "0"}).wait(60);
  EXPECT_EQ(result.exitCode, 1) << result.output;
  EXPECT_NE(result.output.find("the op 'linear' (kernel tiny_forward) failed with code 7"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("error: rank "), std::string::npos) << result.output;
}

TEST_F(Worker, evaluatesACheckpointAndWritesLogits) {
  ASSERT_EQ(start(2, {"--epochs", "5", "--checkpoint", folder / "ckpt"}).wait().exitCode, 0);
  std::string logits, line;
  for (int ranks : {1, 3}) {
    const std::string file = folder / "logits.npy";
    const JobResult result = WorkerJob({"-n", std::to_string(ranks), PARTYLINE_WORKER, "evaluate", binary, "--data",
                                        data, "--checkpoint", folder / "ckpt", "--logits", file})
                                 .wait();
    ASSERT_EQ(result.exitCode, 0) << result.output;
    const std::string found = result.output.substr(result.output.find("test: "));
    if (ranks == 1) {
      logits = readFile(file);
      line = found;
    }
    EXPECT_EQ(readFile(file), logits);
    EXPECT_EQ(found, line);
    EXPECT_GT(logits.size(), 10u * 3 * 4);
  }
  const JobResult missing =
      WorkerJob({"-n", "2", PARTYLINE_WORKER, "evaluate", binary, "--data", data, "--checkpoint", folder / "nothing"})
          .wait();
  EXPECT_EQ(missing.exitCode, 2) << missing.output;
  EXPECT_NE(missing.output.find("there is no checkpoint here"), std::string::npos) << missing.output;
}

TEST_F(Worker, reportsItsMemory) {
  const std::string report = folder / "memory.json";
  ASSERT_EQ(start(2, {"--steps", "2", "--memory-report", report}).wait().exitCode, 0);
  const nlohmann::json ranks = nlohmann::json::parse(readFile(report)).at("ranks");
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_GT(ranks[1].at("peak").get<int64_t>(), 1 << 20);
  EXPECT_EQ(ranks[1].at("planned_peak").get<int64_t>(), 1 << 20);
}
