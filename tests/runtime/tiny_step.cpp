//===- tiny_step.cpp - the step library of tiny_model.h -------------------===//
#include "runtime/shared/step_abi.h"
#include "tests/runtime/tiny_model.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

extern "C" int halide_do_par_for(void *, int (*)(void *, int, uint8_t *), int, int, uint8_t *);

using namespace partyline;
using namespace partyline::testing::tiny;

namespace {

float *floats(const StepCall *call, int64_t offset) { return reinterpret_cast<float *>(call->arena + offset); }
int32_t *integers(const StepCall *call, int64_t offset) { return reinterpret_cast<int32_t *>(call->arena + offset); }

int computeLogits(void *, int sample, uint8_t *closure) {
  const StepCall *call = reinterpret_cast<const StepCall *>(closure);
  const float *x = floats(call, kInput) + sample * kInputs;
  const float *weights = floats(call, kWeights);
  for (int64_t c = 0; c < kClasses; ++c) {
    float sum = weights[kBias + c];
    for (int64_t i = 0; i < kInputs; ++i)
      sum += x[i] * weights[kWeight + i * kClasses + c];
    floats(call, kLogits)[sample * kClasses + c] = sum;
  }
  return 0;
}

int32_t forward(const StepCall *call) {
  // Tests that need time to interfere slow the steps down.
  if (const char *delay = std::getenv("TINY_STEP_MS"))
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(delay)));
  // 1000: a step number at which a kernel fails; no other test comes that far.
  if (call->step == 1000)
    return 7;
  return halide_do_par_for(nullptr, computeLogits, 0, call->samples,
                           reinterpret_cast<uint8_t *>(const_cast<StepCall *>(call)));
}

int32_t loss(const StepCall *call) {
  for (int64_t n = 0; n < call->samples; ++n) {
    const float *logits = floats(call, kLogits) + n * kClasses;
    float *probabilities = floats(call, kProbabilities) + n * kClasses;
    float sum = 0;
    for (int64_t c = 0; c < kClasses; ++c)
      sum += probabilities[c] = std::exp(logits[c]);
    for (int64_t c = 0; c < kClasses; ++c)
      probabilities[c] /= sum;
    floats(call, kLoss)[n] = -std::log(probabilities[integers(call, kLabels)[n]]);
  }
  return 0;
}

/// d loss / d logit, scaled.
float logitGradient(const StepCall *call, int64_t n, int64_t c) {
  const float hot = integers(call, kLabels)[n] == c ? 1 : 0;
  return (floats(call, kProbabilities)[n * kClasses + c] - hot) * call->scale;
}

void accumulate(const StepCall *call, int64_t element, float value) {
  float &gradient = floats(call, kGradients)[element];
  gradient = (call->accumulate ? gradient : 0) + value;
}

int32_t weightGradient(const StepCall *call) {
  for (int64_t i = 0; i < kInputs; ++i)
    for (int64_t c = 0; c < kClasses; ++c) {
      float sum = 0;
      for (int64_t n = 0; n < call->samples; ++n)
        sum += floats(call, kInput)[n * kInputs + i] * logitGradient(call, n, c);
      accumulate(call, kWeight + i * kClasses + c, sum);
    }
  return 0;
}

int32_t biasGradient(const StepCall *call) {
  for (int64_t c = 0; c < kClasses; ++c) {
    float sum = 0, mean = 0;
    for (int64_t n = 0; n < call->samples; ++n) {
      sum += logitGradient(call, n, c);
      mean += floats(call, kLogits)[n * kClasses + c] / float(call->samples);
    }
    accumulate(call, kBias + c, sum);
    accumulate(call, kRunning + c, call->sampleWeight * mean);
  }
  return 0;
}

template <typename Body> int32_t forRange(const StepCall *call, Body body) {
  for (int64_t e = call->first; e < call->first + call->count; ++e)
    body(floats(call, kWeights)[e], floats(call, kGradients)[e], floats(call, kMomentum)[e]);
  return 0;
}

int32_t updateWithMomentum(const StepCall *call) {
  return forRange(call, [&](float &weight, float gradient, float &momentum) {
    momentum = kMomentumFactor * momentum + gradient;
    weight -= call->learningRate * momentum;
  });
}

int32_t updatePlain(const StepCall *call) {
  return forRange(call, [&](float &weight, float gradient, float &) { weight -= call->learningRate * gradient; });
}

int32_t updateRunning(const StepCall *call) {
  return forRange(call, [&](float &running, float mean, float &) { running = kRate * running + (1 - kRate) * mean; });
}

const StepOp forwardBackward[] = {{forward, "linear", "tiny_forward"},
                                  {loss, "loss", "tiny_loss"},
                                  {weightGradient, "linear", "tiny_weight_gradient"},
                                  {biasGradient, "linear", "tiny_bias_gradient"}};
const StepOp evaluateTable[] = {{forward, "linear", "tiny_forward"}, {loss, "loss", "tiny_loss"}};
const StepUpdate updates[] = {{kWeight, kBias, {updateWithMomentum, "w", "tiny_momentum"}},
                              {kBias, kRunning, {updatePlain, "b", "tiny_sgd"}},
                              {kRunning, kGradientElements, {updateRunning, "running", "tiny_running"}}};

} // namespace

extern "C" __attribute__((visibility("default"))) const StepLibrary partyline_step_library = {
    kStepAbiVersion, 0, kPlanHash, forwardBackward, 4, evaluateTable, 2, updates, 3};
