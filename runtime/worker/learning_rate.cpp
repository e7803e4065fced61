//===- learning_rate.cpp --------------------------------------------------===//
#include "runtime/worker/learning_rate.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

namespace partyline::runtime {

using Decay = LearningRateSchedule::Decay;

/// A whole number of epochs or steps, small enough to be multiplied; nothing where the text is none.
static std::optional<int64_t> parseCount(std::string_view text, int64_t least) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && end == text.data() + text.size();
  return good && value >= least && value <= 1'000'000'000 ? std::optional(value) : std::nullopt;
}

static std::optional<double> parsePositive(const std::string &text) {
  char *end = nullptr; // Android's library has no from_chars for floating-point numbers.
  const double value = std::strtod(text.c_str(), &end);
  const bool good = !text.empty() && *end == 0 && std::isfinite(value) && value > 0;
  return good ? std::optional(value) : std::nullopt;
}

static std::vector<std::string> splitAtCommas(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Nothing where the text is no schedule.
static std::optional<LearningRateSchedule> parseDecay(const std::string &text) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  std::vector<std::string> arguments;
  if (colon != std::string::npos)
    arguments = splitAtCommas(text.substr(colon + 1));

  LearningRateSchedule schedule;
  const auto takeEpochs = [&](size_t index) {
    const std::optional<int64_t> epochs = parseCount(arguments[index], 1);
    schedule.epochs = epochs.value_or(0);
    return epochs.has_value();
  };
  const auto takeParameter = [&](size_t index) {
    const std::optional<double> parameter = parsePositive(arguments[index]);
    schedule.parameter = parameter.value_or(0);
    return parameter.has_value();
  };
  const size_t count = arguments.size();
  bool good = false;
  if (name == "constant") {
    good = count == 0;
  } else if (name == "step") {
    schedule.decay = Decay::step;
    schedule.parameter = 0.1;
    good = (count == 1 || count == 2) && takeEpochs(0) && (count < 2 || takeParameter(1));
  } else if (name == "cosine") {
    schedule.decay = Decay::cosine;
    good = count <= 1 && (count < 1 || takeEpochs(0));
  } else if (name == "poly") {
    schedule.decay = Decay::polynomial;
    schedule.parameter = 1;
    good = count <= 2 && (count < 1 || takeParameter(0)) && (count < 2 || takeEpochs(1));
  }
  return good ? std::optional(schedule) : std::nullopt;
}

LearningRateSchedule parseLearningRateSchedule(const std::string &decay, const std::string &warmup) {
  const std::optional<LearningRateSchedule> parsed = parseDecay(decay);
  if (!parsed)
    throw inputError("'" + decay + "' is no learning-rate schedule, which is one of constant, step:EPOCHS[,FACTOR], " +
                     "cosine[:EPOCHS], poly[:POWER[,EPOCHS]]");
  LearningRateSchedule schedule = *parsed;
  std::string_view number = warmup;
  schedule.warmupInSteps = number.ends_with("steps");
  if (schedule.warmupInSteps)
    number.remove_suffix(std::string_view("steps").size());
  const std::optional<int64_t> count = parseCount(number, 0);
  if (!count)
    throw inputError("'" + warmup + "' is no warm-up, which is a number of epochs or of steps, as 5 or 200steps");
  schedule.warmup = *count;
  return schedule;
}

double learningRateFactor(const LearningRateSchedule &schedule, int64_t step, int64_t stepsPerEpoch, int64_t runSteps) {
  const int64_t warmup = schedule.warmup * (schedule.warmupInSteps ? 1 : stepsPerEpoch);
  const double ramp = step < warmup ? double(step + 1) / double(warmup) : 1;
  const int64_t end = schedule.epochs > 0 ? schedule.epochs * stepsPerEpoch : runSteps;
  const auto passed = [&] { // the share of the decay that lies behind
    if (step <= warmup)
      return 0.0;
    return step >= end ? 1.0 : double(step - warmup) / double(end - warmup);
  };
  switch (schedule.decay) {
  case Decay::constant:
    return ramp;
  case Decay::step:
    return ramp * std::pow(schedule.parameter, double(step / stepsPerEpoch / schedule.epochs));
  case Decay::cosine:
    return ramp * (1 + std::cos(std::numbers::pi * passed())) / 2;
  case Decay::polynomial:
    return ramp * std::pow(1 - passed(), schedule.parameter);
  }
  return ramp;
}

} // namespace partyline::runtime
