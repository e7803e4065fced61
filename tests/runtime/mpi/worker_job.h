//===- worker_job.h - mpirun as a child of a test -------------------------===//
#pragma once

#include "tests/runtime/data_files.h"

#include <chrono>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace partyline::testing {

struct JobResult {
  int exitCode = -1;
  bool timedOut = false;
  std::string output; ///< stdout and stderr
};

/// Runs mpirun with the given arguments. What is still running at the end of the test is killed.
class WorkerJob {
public:
  /// `environment`: "NAME=VALUE" for the ranks, or empty.
  explicit WorkerJob(const std::vector<std::string> &arguments, const std::string &environment = "")
      : outputFile(folder / "output") {
    std::vector<std::string> command = {"mpirun", "--oversubscribe", "--bind-to", "none"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    std::vector<char *> pointers;
    for (std::string &argument : command)
      pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    process = fork();
    if (process != 0)
      return;
    const int output = open(outputFile.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    // In a container there may be nobody but root.
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    if (!environment.empty())
      putenv(const_cast<char *>(environment.c_str()));
    execvp(pointers[0], pointers.data());
    _exit(127);
  }

  WorkerJob(const WorkerJob &) = delete;
  WorkerJob &operator=(const WorkerJob &) = delete;

  ~WorkerJob() {
    if (process <= 0)
      return;
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }

  JobResult wait(double seconds = 60) {
    JobResult result;
    int status = 0;
    result.timedOut = !until(seconds, [&] { return waitpid(process, &status, WNOHANG) == process; });
    if (!result.timedOut) {
      process = -1;
      result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    result.output = readFile(outputFile);
    return result;
  }

  /// The processes of the ranks, in the order in which mpirun started them.
  std::vector<int> waitForRanks(size_t count) {
    std::vector<int> ranks;
    const std::string children = "/proc/" + std::to_string(process) + "/task/" + std::to_string(process) + "/children";
    EXPECT_TRUE(until(30, [&] {
      std::istringstream list(readFile(children));
      ranks.clear();
      for (int rank; list >> rank;)
        ranks.push_back(rank);
      return ranks.size() == count;
    })) << readFile(outputFile);
    return ranks;
  }

  void waitForFile(const std::string &path) {
    EXPECT_TRUE(until(30, [&] { return std::filesystem::exists(path); })) << readFile(outputFile);
  }

private:
  template <typename Condition> static bool until(double seconds, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end)
        return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  TemporaryFolder folder;
  const std::string outputFile;
  pid_t process = -1;
};

} // namespace partyline::testing
