//===- options.cpp --------------------------------------------------------===//
#include "runtime/worker/options.h"

#include "runtime/shared/error.h"
#include "runtime/worker/learning_rate.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cmath>
#include <cstdio>

namespace partyline::runtime {

static const std::string kPositive = "a whole number of 1 or more";

static std::string checkWhole(const std::string &text, int64_t least) {
  int64_t value = 0;
  if (CLI::detail::lexical_cast(text, value) && value >= least && value <= (int64_t(1) << 40))
    return {};
  return "'" + text + "' is not " + (least == 1 ? kPositive : "a whole number of 0 or more");
}

static CLI::Validator positive() {
  return CLI::Validator([](std::string &text) { return checkWhole(text, 1); }, "", "positive");
}

static CLI::Validator notNegative() {
  return CLI::Validator([](std::string &text) { return checkWhole(text, 0); }, "", "not negative");
}

static CLI::Validator finiteNumber() {
  return CLI::Validator(
      [](std::string &text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= 0;
        return good ? std::string() : "'" + text + "' is not a number of 0 or more";
      },
      "", "finite");
}

/// What all commands have in common.
template <typename Options> static void addBinaryOptions(CLI::App &command, Options &options) {
  command.add_option("binary", options.binary, "The cluster binary, a folder made by partyline compile")
      ->required()
      ->type_name("PARTY");
  command.add_option("--threads", options.threads, "Threads per rank; 0: as the cluster file says")
      ->check(notNegative())
      ->type_name("N");
  command.add_option("--progress", options.progress, "live (one line, rewritten), plain, none, or auto")
      ->check(CLI::IsMember({"auto", "live", "plain", "none"}))
      ->capture_default_str()
      ->type_name("HOW");
}

/// What train and evaluate have in common.
template <typename Options> static void addCommonOptions(CLI::App &command, Options &options) {
  addBinaryOptions(command, options);
  command
      .add_option("--data", options.data,
                  "An image folder, a folder of IDX files, or a pair of arrays x.npy,y.npy; every rank reads it")
      ->required()
      ->type_name("PATH");
  command
      .add_option("--watchdog", options.watchdog, "Seconds after which a rank that does not answer is lost; 0: never")
      ->check(finiteNumber())
      ->capture_default_str()
      ->type_name("SECONDS");
}

/// What parseLearningRateSchedule has against one of the two texts.
static std::string checkSchedule(const std::string &decay, const std::string &warmup) {
  try {
    parseLearningRateSchedule(decay, warmup);
    return {};
  } catch (const Error &error) {
    return error.what();
  }
}

void addScheduleOptions(CLI::App &command, std::string &learningRateSchedule, std::string &warmup) {
  command
      .add_option("--lr-schedule", learningRateSchedule,
                  "constant; step:EPOCHS[,FACTOR], times 0.1 or FACTOR after every EPOCHS; cosine[:EPOCHS]; "
                  "poly[:POWER[,EPOCHS]]; the last two reach 0 after EPOCHS or at the end of the run")
      ->check(CLI::Validator([](std::string &text) { return checkSchedule(text, "0"); }, "", "schedule"))
      ->capture_default_str()
      ->type_name("SCHEDULE");
  command
      .add_option("--warmup", warmup,
                  "Let the learning rate rise from 0 in the first epochs, as 5, or steps, as 200steps")
      ->check(CLI::Validator([](std::string &text) { return checkSchedule("constant", text); }, "", "warm-up"))
      ->capture_default_str()
      ->type_name("N[steps]");
}

void addTrainOptions(CLI::App &command, TrainOptions &options) {
  addCommonOptions(command, options);
  const auto whole = [&](const char *name, auto &value, const char *help, const CLI::Validator &check) {
    return command.add_option(name, value, help)->check(check)->type_name("N");
  };
  CLI::Option *epochs = whole("--epochs", options.epochs, "Train up to this epoch (default: 1)", positive());
  whole("--steps", options.steps, "Train up to this step in place of an epoch", positive())->excludes(epochs);
  CLI::Option *checkpoint =
      command.add_option("--checkpoint", options.checkpoint, "Folder for the best and the last two checkpoints")
          ->type_name("DIR");
  command.add_flag("--resume", options.resume, "Go on from the newest checkpoint; without one, begin")
      ->needs(checkpoint);
  whole("--checkpoint-every", options.checkpointEvery, "Write a checkpoint also after every N steps", notNegative())
      ->needs(checkpoint);
  whole("--val-every", options.validateEvery, "Evaluate after every N epochs; 0: never", notNegative())
      ->capture_default_str();
  command.add_flag("--no-shuffle", options.noShuffle, "Take the samples in the order of the data");
  command.add_option("--lr", options.learningRate, "Learning rate, in place of the compiled one")
      ->check(finiteNumber())
      ->type_name("X");
  addScheduleOptions(command, options.learningRateSchedule, options.warmup);
  command
      .add_option("--clip-norm", options.clipNorm, "Largest norm of a step's gradients, in place of the compiled one")
      ->check(finiteNumber())
      ->type_name("X");
  command.add_option("--seed", options.seed, "Of shuffling and dropout, in place of the compiled one")->type_name("N");
  whole("--global-batch", options.globalBatch, "Samples per step of all ranks, in place of the compiled number",
        positive());
  command.add_option("--log", options.log, "File for one JSON object per step and per evaluation")->type_name("FILE");
  command.add_option("--shares", options.shares, "Samples per rank, or their proportion: 1,3; default: even")
      ->type_name("LIST");
  command.add_option("--memory-report", options.memoryReport, "File for the measured and planned peak of every rank")
      ->type_name("FILE");
  whole("--hash-every", options.hashEvery, "Compare the weights of the ranks after every N steps; 0: never",
        notNegative())
      ->capture_default_str();
}

void addEvaluateOptions(CLI::App &command, EvaluateOptions &options) {
  addCommonOptions(command, options);
  command
      .add_option("--checkpoint", options.checkpoint,
                  "A checkpoint, or a folder of them: the best; default: the weights of the model")
      ->type_name("PATH");
  command.add_option("--logits", options.logits, "Write what the network said, one row per sample")
      ->type_name("FILE.npy");
}

void addBenchOptions(CLI::App &command, BenchOptions &options) {
  addBinaryOptions(command, options);
  command.add_option("--class", options.deviceClass, "Kind of device whose step is run (default: the first)")
      ->type_name("NAME");
  command.add_option("--seconds", options.seconds, "For how long steps are run; three rounds at least")
      ->check(finiteNumber())
      ->capture_default_str()
      ->type_name("SECONDS");
  command.add_option("--rows", options.rows, "How many of the slowest are listed")
      ->check(positive())
      ->capture_default_str()
      ->type_name("N");
  command.add_flag("--by-kernel", options.byKernel, "Add up the ops that share a kernel");
  command.add_option("--json", options.json, "Write all ops, in the order of the step")->type_name("FILE");
}

namespace {
/// Collects what differs from the defaults.
class ArgumentList {
public:
  ArgumentList(const char *command, const std::string &binary) : arguments{command, binary} {}

  ArgumentList &text(const char *name, const std::string &value, const std::string &standard = "") {
    if (value != standard)
      arguments.insert(arguments.end(), {name, value});
    return *this;
  }
  ArgumentList &whole(const char *name, std::optional<int64_t> value, int64_t standard = -1) {
    if (value && *value != standard)
      arguments.insert(arguments.end(), {name, std::to_string(*value)});
    return *this;
  }
  ArgumentList &number(const char *name, double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    return text(name, digits);
  }
  ArgumentList &flag(const char *name, bool set) {
    if (set)
      arguments.push_back(name);
    return *this;
  }

  std::vector<std::string> arguments;
};
} // namespace

std::vector<std::string> workerArguments(const TrainOptions &options) {
  const TrainOptions standard;
  ArgumentList list("train", options.binary);
  list.text("--data", options.data)
      .whole("--epochs", options.epochs)
      .whole("--steps", options.steps)
      .text("--checkpoint", options.checkpoint)
      .flag("--resume", options.resume)
      .whole("--checkpoint-every", options.checkpointEvery, standard.checkpointEvery)
      .whole("--val-every", options.validateEvery, standard.validateEvery)
      .flag("--no-shuffle", options.noShuffle)
      .text("--lr-schedule", options.learningRateSchedule)
      .text("--warmup", options.warmup)
      .whole("--global-batch", options.globalBatch)
      .text("--log", options.log)
      .text("--shares", options.shares)
      .whole("--threads", options.threads, standard.threads)
      .text("--memory-report", options.memoryReport)
      .whole("--hash-every", options.hashEvery, standard.hashEvery)
      .number("--watchdog", options.watchdog)
      .text("--progress", options.progress, standard.progress);
  if (options.learningRate)
    list.number("--lr", *options.learningRate);
  if (options.clipNorm)
    list.number("--clip-norm", *options.clipNorm);
  if (options.seed)
    list.text("--seed", std::to_string(*options.seed));
  return list.arguments;
}

std::vector<std::string> workerArguments(const EvaluateOptions &options) {
  const EvaluateOptions standard;
  return ArgumentList("evaluate", options.binary)
      .text("--data", options.data)
      .text("--checkpoint", options.checkpoint)
      .text("--logits", options.logits)
      .whole("--threads", options.threads, standard.threads)
      .number("--watchdog", options.watchdog)
      .text("--progress", options.progress, standard.progress)
      .arguments;
}

std::vector<std::string> workerArguments(const BenchOptions &options) {
  const BenchOptions standard;
  ArgumentList list("bench", options.binary);
  return list.text("--class", options.deviceClass)
      .whole("--threads", options.threads, standard.threads)
      .number("--seconds", options.seconds)
      .whole("--rows", options.rows, standard.rows)
      .flag("--by-kernel", options.byKernel)
      .text("--json", options.json)
      .text("--progress", options.progress, standard.progress)
      .arguments;
}

} // namespace partyline::runtime
