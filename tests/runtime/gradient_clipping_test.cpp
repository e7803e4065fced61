//===- gradient_clipping_test.cpp -----------------------------------------===//
#include "runtime/worker/gradient_clipping.h"

#include "tests/runtime/tiny_model.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace partyline;
using namespace partyline::runtime;
namespace tiny = partyline::testing::tiny;

// 48 weights of 0.5 and three biases of 2: the norm is sqrt(12 + 12). Neither padding nor statistics count or change.
TEST(GradientClipping, scalesParametersAlone) {
  const Manifest manifest = tiny::manifest();
  std::vector<float> gradients(tiny::kGradientElements, 100.0f);
  std::fill_n(gradients.begin(), 48, 0.5f);
  std::fill_n(gradients.begin() + tiny::kBias, 3, -2.0f);
  const std::vector<float> before = gradients;
  const double norm = std::sqrt(24.0);
  EXPECT_DOUBLE_EQ(clipGradients(manifest, gradients.data(), 5), norm) << "less than 5: nothing changes";
  EXPECT_EQ(gradients, before);
  EXPECT_DOUBLE_EQ(clipGradients(manifest, gradients.data(), 0.25), norm);
  const float coefficient = float(0.25 / (norm + 1e-6));
  for (size_t e = 0; e < gradients.size(); ++e)
    EXPECT_EQ(gradients[e], e < 48 || (e >= tiny::kBias && e < tiny::kBias + 3) ? before[e] * coefficient : before[e]);
  EXPECT_NEAR(clipGradients(manifest, gradients.data(), 1), 0.25, 1e-6);
}

TEST(GradientClipping, ofNoGradients) {
  std::vector<float> gradients(tiny::kGradientElements, 0.0f);
  EXPECT_EQ(clipGradients(tiny::manifest(), gradients.data(), 1), 0);
  EXPECT_EQ(gradients, std::vector<float>(tiny::kGradientElements, 0.0f));
}
