//===- tools/commands/train.cpp - train, evaluate and bench, by workers -------===//
#include "tools/commands/commands.h"
#include "tools/commands/launcher.h"

#include "runtime/worker/options.h"

#include <cstdlib>
#include <memory>

namespace partyline::commands {

// Both commands hand their options on to the workers; -n is the launcher's own.
template <typename WorkerOptions>
static void addLaunched(CLI::App &app, const char *name, const char *description,
                        void (*addOptions)(CLI::App &, WorkerOptions &)) {
  struct Options {
    WorkerOptions worker;
    int64_t ranks = 1;
  };
  CLI::App *command = app.add_subcommand(name, description);
  auto options = std::make_shared<Options>();
  addOptions(*command, options->worker);
  command->add_option("-n,--ranks", options->ranks, "Ranks on this machine, where the cluster names no hosts")
      ->check(CLI::Range(1, 4096));
  command->callback([options] {
    if (int code = launchWorkers(options->worker.binary, options->ranks, runtime::workerArguments(options->worker)))
      throw CLI::RuntimeError(code);
  });
}

void addTrain(CLI::App &app) {
  addLaunched<runtime::TrainOptions>(app, "train",
                                     "Trains a cluster binary on its cluster\n"
                                     "Example: partyline train lenet.party --data digits/ -n 4 --epochs 10",
                                     runtime::addTrainOptions);
}

void addEvaluate(CLI::App &app) {
  addLaunched<runtime::EvaluateOptions>(app, "evaluate",
                                        "Tests a model on the data's test split\n"
                                        "Example: partyline evaluate lenet.party --checkpoint ckpt/ --data digits/",
                                        runtime::addEvaluateOptions);
}

void addBench(CLI::App &app) {
  CLI::App *command = app.add_subcommand("bench", "Times every kernel of a cluster binary on this machine\n"
                                                  "Example: partyline bench resnet20.party --by-kernel");
  auto options = std::make_shared<runtime::BenchOptions>();
  runtime::addBenchOptions(*command, *options);
  command->callback([options] {
    if (int code = launchOneWorker(options->binary, options->deviceClass, runtime::workerArguments(*options)))
      throw CLI::RuntimeError(code);
  });
}

} // namespace partyline::commands
