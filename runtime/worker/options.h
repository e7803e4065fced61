//===- options.h - the command lines of train, evaluate and bench ----------------===//
//
// Shared by the worker and by the launcher (`partyline train`), which hands on to the worker what it was given.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partyline::runtime {

struct TrainOptions {
  std::string binary; ///< the .party folder
  std::string data;
  std::optional<int64_t> epochs, steps; ///< of the whole run, resumed or not; neither: one epoch
  std::string checkpoint;               ///< folder; empty: none are written
  bool resume = false;
  int64_t checkpointEvery = 0; ///< steps; 0: after epochs only
  int64_t validateEvery = 1;   ///< epochs; 0: never
  bool noShuffle = false;
  std::optional<double> learningRate, clipNorm;
  std::string learningRateSchedule, warmup; ///< empty: the compiled ones
  std::optional<int64_t> seed, globalBatch;
  std::string log;
  std::string shares;
  int64_t threads = 0; ///< 0: as the cluster file says
  std::string memoryReport;
  int64_t hashEvery = 100; ///< steps; 0: never
  double watchdog = 300;   ///< seconds; 0: none
  std::string progress = "auto";
};

struct EvaluateOptions {
  std::string binary;
  std::string data;
  std::string checkpoint; ///< folder or file; empty: the weights that the model came with
  std::string logits;     ///< .npy to write
  int64_t threads = 0;
  double watchdog = 300;
  std::string progress = "auto";
};

struct BenchOptions {
  std::string binary;
  std::string deviceClass; ///< empty: the first
  int64_t threads = 0;
  double seconds = 10;
  int64_t rows = 25;
  bool byKernel = false;
  std::string json; ///< file to write
  std::string progress = "auto";
};

/// Adds --lr-schedule and --warmup: of compile, and of train in place of the compiled ones.
void addScheduleOptions(CLI::App &command, std::string &learningRateSchedule, std::string &warmup);

/// Adds the options to a command.
void addTrainOptions(CLI::App &command, TrainOptions &options);
void addEvaluateOptions(CLI::App &command, EvaluateOptions &options);
void addBenchOptions(CLI::App &command, BenchOptions &options);

/// The worker's command line that gives these options: {"train", "resnet.party", "--data", ...}.
std::vector<std::string> workerArguments(const TrainOptions &options);
std::vector<std::string> workerArguments(const EvaluateOptions &options);
std::vector<std::string> workerArguments(const BenchOptions &options);

} // namespace partyline::runtime
