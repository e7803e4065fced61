//===- learning_rate_test.cpp - schedules against hand-worked values ------===//
#include "runtime/worker/learning_rate.h"
#include "tests/runtime/data_files.h"

#include <cmath>

using namespace partyline;
using namespace partyline::runtime;
using partyline::testing::expectError;

namespace {

/// The factors of all steps of a run.
std::vector<double> factors(const std::string &decay, const std::string &warmup, int64_t stepsPerEpoch,
                            int64_t runSteps) {
  const LearningRateSchedule schedule = parseLearningRateSchedule(decay, warmup);
  std::vector<double> result;
  for (int64_t step = 0; step < runSteps; ++step)
    result.push_back(learningRateFactor(schedule, step, stepsPerEpoch, runSteps));
  return result;
}

void expectFactors(const std::vector<double> &actual, const std::vector<double> &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-14) << "step " << i;
}

} // namespace

TEST(LearningRate, handWorkedValues) {
  expectFactors(factors("constant", "0", 2, 3), {1, 1, 1});
  expectFactors(factors("constant", "4steps", 2, 6), {0.25, 0.5, 0.75, 1, 1, 1});
  expectFactors(factors("constant", "2", 2, 6), {0.25, 0.5, 0.75, 1, 1, 1});
  expectFactors(factors("step:1", "0", 2, 6), {1, 1, 0.1, 0.1, 0.01, 0.01});
  expectFactors(factors("step:2,0.5", "0", 1, 6), {1, 1, 0.5, 0.5, 0.25, 0.25});
  expectFactors(factors("step:1,0.5", "3steps", 2, 4), {1.0 / 3, 2.0 / 3, 0.5, 0.5});
  expectFactors(factors("cosine", "0", 2, 4), {1, (1 + std::sqrt(0.5)) / 2, 0.5, (1 - std::sqrt(0.5)) / 2});
  expectFactors(factors("cosine:2", "0", 1, 4), {1, 0.5, 0, 0});
  expectFactors(factors("cosine", "2steps", 1, 6),
                {0.5, 1, 1, (1 + std::sqrt(0.5)) / 2, 0.5, (1 - std::sqrt(0.5)) / 2});
  expectFactors(factors("poly", "0", 1, 4), {1, 0.75, 0.5, 0.25});
  expectFactors(factors("poly:2", "0", 1, 4), {1, 0.5625, 0.25, 0.0625});
  expectFactors(factors("poly:2,2", "0", 2, 6), {1, 0.5625, 0.25, 0.0625, 0, 0});
  expectFactors(factors("poly", "1", 2, 6), {0.5, 1, 1, 0.75, 0.5, 0.25});
  expectFactors(factors("cosine", "9steps", 1, 3), {1.0 / 9, 2.0 / 9, 1.0 / 3}); // a run that is all warm-up
}

// PyTorch's schedulers, stepped after every step, as recursions or closed forms of torch/optim/lr_scheduler.py.
TEST(LearningRate, isPyTorchs) {
  const int64_t steps = 30, perEpoch = 3;
  const std::vector<double> step = factors("step:2,0.3", "0", perEpoch, steps);
  const std::vector<double> cosine = factors("cosine", "0", perEpoch, steps);
  const std::vector<double> poly = factors("poly:0.9", "0", perEpoch, steps);
  double stepLr = 1, cosineLr = 1, polyLr = 1;
  for (int64_t t = 0; t < steps; ++t) {
    if (t > 0) {
      if (t % (2 * perEpoch) == 0) // StepLR(step_size=2 * perEpoch, gamma=0.3)
        stepLr *= 0.3;
      // CosineAnnealingLR(T_max=steps)
      cosineLr *= (1 + std::cos(M_PI * double(t) / steps)) / (1 + std::cos(M_PI * double(t - 1) / steps));
      // PolynomialLR(total_iters=steps, power=0.9)
      polyLr *= std::pow((1.0 - double(t) / steps) / (1.0 - double(t - 1) / steps), 0.9);
    }
    EXPECT_NEAR(step[size_t(t)], stepLr, 1e-12);
    EXPECT_NEAR(cosine[size_t(t)], cosineLr, 1e-12);
    EXPECT_NEAR(poly[size_t(t)], polyLr, 1e-12);
  }
}

TEST(LearningRate, refusesWhatItDoesNotKnow) {
  for (const char *text : {"", "linear", "step", "step:", "step:0", "step:1.5", "step:3,0", "step:3,nan",
                           "step:3,0.1,1", "step:3,", "constant:1", "cosine:", "cosine:0", "cosine:1,2", "poly:-1",
                           "poly:1,0", "poly:1,2,3", "cosine:9999999999", "Cosine"}) {
    SCOPED_TRACE(text);
    expectError([&] { parseLearningRateSchedule(text, "0"); }, {"learning-rate schedule", "cosine[:EPOCHS]"});
  }
  for (const char *text : {"", "-1", "1.5", "steps", "5 steps", "5epochs", "x", "9999999999"}) {
    SCOPED_TRACE(text);
    expectError([&] { parseLearningRateSchedule("constant", text); }, {"warm-up", "200steps"});
  }
}
