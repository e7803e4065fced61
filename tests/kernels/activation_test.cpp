//===- activation_test.cpp - relu, sigmoid, tanh and their gradients ------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

// Below a vector, between vectors, primes, and around one task of 16384.
const std::vector<int> lengths = {1, 2, 3, 7, 8, 9, 17, 31, 64, 1009, 16383, 16384, 16385, 40009};

void expectRelative(const Tensor &actual, const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_LE(std::abs(actual[i] - expected[i]), tolerance * std::abs(expected[i]) + 1e-37)
        << "element " << i << " of " << expected.size() << ": " << actual[i] << ", not " << expected[i];
}

struct Activation {
  std::string name;
  std::function<double(double)> value;
  std::function<double(double y, double dy)> gradient; ///< from the output, as the kernels have it
};

TEST(Activation, MatchesLibm) {
  const std::vector<Activation> activations = {
      {"relu", [](double x) { return std::max(x, 0.0); }, [](double y, double dy) { return y > 0 ? dy : 0.0; }},
      {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); },
       [](double y, double dy) { return dy * y * (1 - y); }},
      {"tanh", [](double x) { return std::tanh(x); }, [](double y, double dy) { return dy * (1 - y * y); }}};
  std::vector<KernelSpec> specs;
  for (const Activation &activation : activations)
    for (const char *suffix : {"", "_gradient"})
      specs.push_back({activation.name + suffix, {}});
  KernelLibrary library(specs);
  std::mt19937 generator(1);
  for (size_t a = 0; a < activations.size(); ++a) {
    SCOPED_TRACE(activations[a].name);
    for (int length : lengths)
      // Large, ordinary, and so small that only the relative error shows a mistake.
      for (float range : {80.0f, 4.0f, 1e-3f}) {
        Tensor x = Tensor::random({length}, generator, -range, range), y({length});
        library.run(2 * a, {}, {&x, &y});
        std::vector<double> expected(length);
        for (int i = 0; i < length; ++i)
          expected[i] = activations[a].value(x[i]);
        expectRelative(y, expected, 1e-6);

        Tensor dy = Tensor::random({length}, generator), dx({length});
        library.run(2 * a + 1, {}, {&y, &dy, &dx});
        for (int i = 0; i < length; ++i)
          expected[i] = activations[a].gradient(y[i], dy[i]);
        expectRelative(dx, expected, 1e-6);

        // In place, on three threads, it gives the same bits.
        setThreads(3);
        Tensor inPlace = x;
        library.run(2 * a, {}, {&inPlace, &inPlace});
        library.run(2 * a + 1, {}, {&inPlace, &dy, &dy});
        setThreads(1);
        for (int i = 0; i < length; ++i) {
          ASSERT_EQ(inPlace[i], y[i]);
          ASSERT_EQ(dy[i], dx[i]);
        }
      }
    // What is not a number stays none; infinities have their limits.
    const float infinity = std::numeric_limits<float>::infinity();
    Tensor x({9}, {NAN, infinity, -infinity, 0, 1000, -1000, 88, -88, NAN}), y({9});
    library.run(2 * a, {}, {&x, &y});
    for (int i = 0; i < 9; ++i) {
      if (std::isnan(x[i]))
        EXPECT_TRUE(std::isnan(y[i]));
      else if (activations[a].value(x[i]) == infinity)
        EXPECT_EQ(y[i], infinity);
      else
        EXPECT_NEAR(y[i], activations[a].value(x[i]), 1e-6 * std::max(1.0, std::abs(double(x[i]))));
    }
  }
}

} // namespace
