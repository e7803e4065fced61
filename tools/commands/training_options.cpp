//===- tools/commands/training_options.cpp - how a model is trained -------===//
#include "tools/commands/compiling.h"

#include "runtime/shared/error.h"
#include "runtime/worker/options.h"

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <cmath>
#include <cstdlib>

namespace partyline::commands {

// What CLI11's ranges let through: comparisons with NaN are all false.
static std::string requireFinite(const std::string &text) {
  return std::isfinite(std::strtod(text.c_str(), nullptr)) ? "" : text + " is not a finite number";
}

void addTrainingOptions(CLI::App &command, CompileOptions &options) {
  TrainingOptions &training = options.training;
  const auto number = [&](const char *name, double &value, const CLI::Validator &range, const char *help) {
    command.add_option(name, value, help)->check(range)->check(requireFinite)->capture_default_str();
  };
  const auto choice = [&](const char *name, std::string &value, const std::vector<std::string> &names,
                          const char *help = "") {
    command.add_option(name, value, help)->check(CLI::IsMember(names))->capture_default_str();
  };
  const CLI::Range fraction(0.0, 1.0), belowOne(0.0, std::nextafter(1.0, 0.0));
  choice("--loss", training.loss, {"cross_entropy", "mse", "bce"});
  number("--label-smoothing", training.labelSmoothing, fraction, "Of cross_entropy: the share of the other classes");
  command
      .add_option("--freeze", training.freeze, "Do not train the parameters of this name, as 'features.*'; repeatable")
      ->allow_extra_args(false)
      ->type_name("PATTERN");
  choice("--batchnorm", training.batchNorm, {"train", "torch", "frozen"},
         "BatchNorm normalises by the statistics of the micro-batch (train; torch: with PyTorch's running variance, "
         "which is unbiased, in place of ONNX's) or by the stored ones, which stay (frozen)");
  choice("--optimizer", training.optimizer, {"sgd", "adamw", "lars"});
  number("--lr", options.learningRate, CLI::NonNegativeNumber, "Learning rate");
  runtime::addScheduleOptions(command, options.learningRateSchedule, options.warmup);
  number("--clip-norm", options.clipNorm, CLI::NonNegativeNumber, "Largest norm of a step's gradients; 0: any");
  number("--momentum", training.momentum, belowOne, "Momentum of sgd and lars");
  number("--weight-decay", training.weightDecay, CLI::NonNegativeNumber, "Weight decay");
  number("--beta1", training.beta1, belowOne, "Of adamw: how much of the gradients' average a step keeps");
  number("--beta2", training.beta2, belowOne, "Of adamw: how much of their squares' average a step keeps");
  number("--epsilon", training.epsilon, CLI::PositiveNumber, "Of adamw: added to the root of that average");
  number(
      "--trust", training.trust, CLI::PositiveNumber,
      "Of lars: the trust coefficient. A tensor's step is multiplied by trust |w| / (|g| + weight decay |w|), but for "
      "one-dimensional ones (biases, normalisation), which follow sgd without weight decay");
}

void checkTrainingOptions(const TrainingOptions &training) {
  if (training.loss != "cross_entropy" && training.labelSmoothing != 0)
    throw inputError("--label-smoothing is cross_entropy's; --loss " + training.loss + " has no labels to smooth");
  if (training.optimizer == "adamw" && training.momentum != 0)
    throw inputError("--momentum is sgd's; adamw's averages follow --beta1 and --beta2");
}

ManifestOptions manifestOptions(const CompileOptions &options) {
  ManifestOptions manifest;
  manifest.loss = options.training.loss;
  manifest.optimizer = options.training.optimizer;
  manifest.learningRate = options.learningRate;
  manifest.learningRateSchedule = options.learningRateSchedule;
  manifest.warmup = options.warmup;
  manifest.momentum = options.training.momentum;
  manifest.weightDecay = options.training.weightDecay;
  manifest.clipNorm = options.clipNorm;
  manifest.seed = options.seed;
  manifest.shuffle = !options.noShuffle;
  return manifest;
}

} // namespace partyline::commands
