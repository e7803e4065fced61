//===- activation_test.cpp - functions of one operand and their gradients -===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Below a vector, between vectors, primes, and around one task of 16384.
const std::vector<int> lengths = {1, 2, 3, 7, 8, 9, 17, 31, 64, 1009, 16383, 16384, 16385, 40009};

/// Within some units in the last place, or within `floor` where the function itself cancels.
void expectRelative(const Tensor &actual, const std::vector<double> &expected, double floor = 1e-37) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_LE(std::abs(actual[i] - expected[i]), 5e-7 * std::abs(expected[i]) + floor)
        << "element " << i << " of " << expected.size() << ": " << actual[i] << ", not " << expected[i];
}

struct Activation {
  std::string name;
  std::function<double(double)> value;
  std::function<double(double from, double dy)> gradient;
  bool isFromInput = false; ///< else the gradient comes from the output
  std::vector<Scalar> attributes = {};
  bool isOfPositive = false; ///< applied to positive numbers only
  double floor = 1e-37;      ///< of the value's error
  double gradientFloor = 1e-37;
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double normalDistribution(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

double mishGradient(double x) {
  const double t = std::tanh(std::log1p(std::exp(x)));
  return t + x * (1 - t * t) * sigmoid(x);
}

double geluTanhGradient(double x) {
  const double c = std::sqrt(8 / M_PI), s = sigmoid(c * (x + 0.044715 * x * x * x));
  return s + x * s * (1 - s) * c * (1 + 3 * 0.044715 * x * x);
}

std::vector<Activation> activations() {
  constexpr bool input = true, positive = true;
  constexpr float alpha = 0.3f, beta = 0.6f, gamma = 1.2f;
  const double two = 2 / std::sqrt(M_PI);
  return {
      {"relu", [](double x) { return std::max(x, 0.0); }, [](double y, double dy) { return y > 0 ? dy : 0.0; }},
      {"sigmoid", sigmoid, [](double y, double dy) { return dy * y * (1 - y); }},
      {"tanh", [](double x) { return std::tanh(x); }, [](double y, double dy) { return dy * (1 - y * y); }},
      {"exp", [](double x) { return std::exp(x); }, [](double y, double dy) { return dy * y; }},
      {"log", [](double x) { return std::log(x); }, [](double x, double dy) { return dy / x; }, input, {}, positive},
      {"sqrt",
       [](double x) { return std::sqrt(x); },
       [](double y, double dy) { return dy / (2 * y); },
       !input,
       {},
       positive},
      {"reciprocal", [](double x) { return 1 / x; }, [](double y, double dy) { return -dy * y * y; }},
      {"abs", [](double x) { return std::abs(x); }, [](double x, double dy) { return x < 0 ? -dy : dy; }, input},
      {"erf",
       [](double x) { return std::erf(x); },
       [=](double x, double dy) { return dy * two * std::exp(-x * x); },
       input,
       {},
       !positive,
       1e-37,
       1e-6},
      {"softplus", [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); },
       [](double y, double dy) { return dy * -std::expm1(-y); }},
      {"softsign", [](double x) { return x / (1 + std::abs(x)); },
       [](double x, double dy) { return dy / std::pow(1 + std::abs(x), 2); }, input},
      {"mish",
       [](double x) { return x * std::tanh(std::log1p(std::exp(x))); },
       [](double x, double dy) { return dy * mishGradient(x); },
       input,
       {},
       !positive,
       1e-37,
       3e-7},
      {"hard_swish",
       [](double x) { return x <= -3  ? 0
                             : x >= 3 ? x
                                      : x * (x / 6 + 0.5); },
       [](double x, double dy) { return x <= -3 ? 0
                                        : x < 3 ? dy * (x / 3 + 0.5)
                                                : dy; },
       input,
       {},
       !positive,
       1e-37,
       1e-7},
      {"gelu",
       [](double x) { return x * normalDistribution(x); },
       [](double x, double dy) {
         return dy * (normalDistribution(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI));
       },
       input,
       {},
       !positive,
       2e-7,
       3e-7},
      {"gelu_tanh",
       [](double x) { return x * sigmoid(std::sqrt(8 / M_PI) * (x + 0.044715 * x * x * x)); },
       [](double x, double dy) { return dy * geluTanhGradient(x); },
       input,
       {},
       !positive,
       2e-7,
       1e-6},
      {"hard_sigmoid",
       [=](double x) { return std::min(std::max(alpha * x + beta, 0.0), 1.0); },
       [=](double y, double dy) { return y > 0 && y < 1 ? alpha * dy : 0; },
       !input,
       {alpha, beta},
       !positive,
       1e-7},
      {"leaky_relu",
       [=](double x) { return x < 0 ? alpha * x : x; },
       [=](double y, double dy) { return y > 0 ? dy : alpha * dy; },
       !input,
       {alpha}},
      {"elu",
       [=](double x) { return x < 0 ? alpha * std::expm1(x) : x; },
       [=](double y, double dy) { return y > 0 ? dy : (y + alpha) * dy; },
       !input,
       {alpha}},
      {"selu",
       [=](double x) { return gamma * (x < 0 ? alpha * std::expm1(x) : x); },
       [=](double y, double dy) { return y > 0 ? gamma * dy : (y + double(gamma) * alpha) * dy; },
       !input,
       {alpha, gamma},
       !positive,
       1e-37,
       1e-7},
      {"thresholded_relu",
       [=](double x) { return x <= alpha ? 0 : x; },
       [=](double x, double dy) { return x > alpha ? dy : 0; },
       input,
       {alpha}},
      {"clip",
       [=](double x) { return std::min<double>(std::max<double>(x, -alpha), beta); },
       [=](double y, double dy) { return y > -alpha && y < beta ? dy : 0; },
       !input,
       {beta, -alpha}},
  };
}

TEST(Activation, MatchesLibm) {
  std::vector<KernelSpec> specs;
  for (const Activation &activation : activations())
    for (const char *suffix : {"", "_gradient"})
      specs.push_back({activation.name + suffix, {}});
  KernelLibrary library(specs);
  std::mt19937 generator(1);
  size_t kernel = 0;
  for (const Activation &activation : activations()) {
    SCOPED_TRACE(activation.name);
    const size_t forward = kernel++, backward = kernel++;
    for (int length : lengths)
      // Large, ordinary, and so small that only the relative error shows a mistake.
      for (float range : {80.0f, 4.0f, 1e-3f}) {
        Tensor x = Tensor::random({length}, generator, activation.isOfPositive ? range * 1e-6f : -range, range);
        Tensor y({length});
        library.run(forward, activation.attributes, {&x, &y});
        std::vector<double> expected(length);
        for (int i = 0; i < length; ++i)
          expected[i] = activation.value(x[i]);
        expectRelative(y, expected, activation.floor);

        Tensor &from = activation.isFromInput ? x : y;
        Tensor dy = Tensor::random({length}, generator), dx({length});
        library.run(backward, activation.attributes, {&from, &dy, &dx});
        for (int i = 0; i < length; ++i)
          expected[i] = activation.gradient(from[i], dy[i]);
        expectRelative(dx, expected, activation.gradientFloor);

        // In place, on three threads, it gives the same bits.
        setThreads(3);
        Tensor inPlace = x;
        library.run(forward, activation.attributes, {&inPlace, &inPlace});
        library.run(backward, activation.attributes, {&from, &dy, &dy});
        setThreads(1);
        for (int i = 0; i < length; ++i) {
          ASSERT_EQ(inPlace[i], y[i]);
          ASSERT_EQ(dy[i], dx[i]);
        }
      }
    // What is not a number stays none; infinities have their limits.
    const std::vector<float> special = {NAN, infinity, -infinity, 0, 1000, -1000, 88.5f, -88, 1e-40f, NAN};
    Tensor x({10}, special), y({10});
    library.run(forward, activation.attributes, {&x, &y});
    for (int i = 0; i < 10; ++i) {
      SCOPED_TRACE(x[i]);
      const double expected = activation.value(x[i]);
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(y[i])) << y[i];
      else if (std::abs(expected) > std::numeric_limits<float>::max())
        EXPECT_EQ(y[i], float(expected));
      else
        EXPECT_NEAR(y[i], expected, 1e-6 * std::max(1.0, std::abs(expected)));
    }
  }
}

// The gradients of a diverging run show that it does: NaN stays NaN, and what is far out does not become NaN.
TEST(Activation, GradientsFarOut) {
  std::vector<KernelSpec> specs;
  for (const Activation &activation : activations())
    specs.push_back({activation.name + "_gradient", {}});
  KernelLibrary library(specs);
  size_t kernel = 0;
  for (const Activation &activation : activations()) {
    SCOPED_TRACE(activation.name);
    Tensor from({5}, {NAN, 1e30f, -1e30f, 1e15f, -1e15f}), dy({5}, {NAN, 1, 1, 1, 1}), dx({5});
    library.run(kernel++, activation.attributes, {&from, &dy, &dx});
    EXPECT_TRUE(std::isnan(dx[0])) << dx[0];
    for (int i = 1; activation.isFromInput && i < 5; ++i)
      EXPECT_FALSE(std::isnan(dx[i])) << from[i];
  }
}

TEST(Power, MatchesLibm) {
  const std::vector<double> exponents = {2,   3,   0.5,  -0.5,    0.75, -0.75, 0.25, -1,  -2, 7.5, 8,
                                         0.1, 1.7, -0.3, 1 / 3.0, 11,   -12,   20.6, 0.6, -9, 1e-3};
  std::vector<KernelSpec> specs;
  for (double p : exponents)
    for (const char *family : {"power", "power_gradient"})
      specs.push_back({family, {{"exponent", p}}});
  KernelLibrary library(specs);
  std::mt19937 generator(4);
  constexpr double smallest = std::numeric_limits<float>::min(), largest = std::numeric_limits<float>::max();
  constexpr int length = 1009;
  for (size_t k = 0; k < exponents.size(); ++k) {
    const double p = exponents[k];
    SCOPED_TRACE(p);
    // Near 1 where layers that normalise have them, and over all magnitudes.
    for (double decades : {0.2, 3.0, 38.0}) {
      Tensor x = Tensor::random({length}, generator, float(-decades), float(decades)), y({length}), dx({length});
      Tensor dy({length});
      dy.fill(1);
      for (int i = 0; i < length; ++i)
        x[i] = std::pow(10.0f, x[i]) * (p == std::floor(p) && i % 2 ? -1.0f : 1.0f);
      library.run(2 * k, {}, {&x, &y});
      library.run(2 * k + 1, {}, {&x, &dy, &dx});
      auto expectPower = [&](double actual, double factor, double power) {
        if (std::max(std::abs(power), std::abs(factor * power)) > largest / 2)
          return; // it, or what it is made of, may be beyond the range of floats
        const double expected = factor * power, below = 2 * smallest * std::abs(factor);
        ASSERT_LE(std::abs(actual - expected), 5e-7 * std::abs(expected) + below) << actual << ", " << expected;
      };
      for (int i = 0; i < length; ++i) {
        SCOPED_TRACE(x[i]);
        expectPower(y[i], 1, std::pow(double(x[i]), p));
        expectPower(dx[i], p, std::pow(double(x[i]), p - 1));
      }
    }
    const std::vector<float> special = {0, infinity, NAN, -1.5f, 1e-40f, 1, 3e38f};
    Tensor x({7}, special), y({7});
    library.run(2 * k, {}, {&x, &y});
    for (int i = 0; i < 7; ++i) {
      SCOPED_TRACE(x[i]);
      const auto expected = float(std::pow(double(x[i]), p));
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(y[i])) << y[i];
      else if (std::isinf(expected))
        EXPECT_EQ(y[i], expected);
      else
        EXPECT_NEAR(y[i], expected, 5e-7 * std::abs(expected) + 2 * smallest);
    }
  }
}

} // namespace
