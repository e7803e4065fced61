//===- learning_rate.h - how the learning rate moves during a run ---------===//
//
// Decay, as --lr-schedule spells it, and PyTorch's scheduler with the same values when it is stepped after every step:
//
//   constant                     1
//   step:EPOCHS[,FACTOR]         FACTOR (default 0.1) ^ floor(epoch / EPOCHS)         StepLR
//   cosine[:EPOCHS]              (1 + cos(pi t)) / 2                                  CosineAnnealingLR
//   poly[:POWER[,EPOCHS]]        (1 - t) ^ POWER (default 1)                          PolynomialLR
//
// t goes from 0 at the end of the warm-up to 1 at the end of EPOCHS, or of the run where they are not given. Name them
// where a run is to be prolonged: then stopping and going on takes the rates that one long run would.
//
// Warm-up, as --warmup spells it, N (epochs) or Nsteps: a ramp from 0 (P. Goyal et al., "Accurate, large minibatch
// SGD", 2017). A step takes the value at its end, (step + 1) / N, since with a rate of 0 it would be in vain.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace partyline::runtime {

struct LearningRateSchedule {
  enum class Decay { constant, step, cosine, polynomial };
  Decay decay = Decay::constant;
  int64_t epochs = 0;   ///< step: from one to the next; cosine, polynomial: up to the last, 0: as many as the run has
  double parameter = 0; ///< step: the factor; polynomial: the power
  int64_t warmup = 0;
  bool warmupInSteps = false;
};

/// Throws an Error (wrong input) that says what can be written.
LearningRateSchedule parseLearningRateSchedule(const std::string &decay, const std::string &warmup);

/// What the learning rate is multiplied by in `step`, counted from 0, of a run of `runSteps`.
double learningRateFactor(const LearningRateSchedule &schedule, int64_t step, int64_t stepsPerEpoch, int64_t runSteps);

} // namespace partyline::runtime
