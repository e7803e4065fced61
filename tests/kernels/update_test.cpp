//===- update_test.cpp - sgd, lars, adamw, moving_average, to the bit ---------------===//
//
// Replicas on different CPUs must stay identical: the reference rounds after every operation, and so must the kernels.
//
//===----------------------------------------------------------------------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

/// Rounded to f32: what a compiler may not contract.
float rounded(float value) {
  volatile float result = value;
  return result;
}

const std::vector<int> lengths = {1, 3, 7, 8, 9, 33, 1000, 16384, 16385, 50021};

TEST(Sgd, IsPyTorchsToTheBit) {
  KernelLibrary library({{"sgd", {{"momentum", int64_t(0)}}}, {"sgd", {{"momentum", int64_t(1)}}}});
  std::mt19937 generator(14);
  const float learningRate = 0.05f, momentum = 0.9f, decay = 5e-4f;
  for (int length : lengths) {
    Tensor gradient = Tensor::random({length}, generator), weight = Tensor::random({length}, generator);
    Tensor buffer = Tensor::random({length}, generator);
    Tensor plain = weight, moved = weight, moving = buffer;
    setThreads(length > 20000 ? 3 : 1);
    library.run(0, {learningRate, decay}, {&gradient, &plain, &plain});
    library.run(1, {learningRate, momentum, decay}, {&gradient, &moved, &moving, &moved, &moving});
    for (int i = 0; i < length; ++i) {
      const float g = rounded(gradient[i] + rounded(decay * weight[i]));
      ASSERT_EQ(plain[i], rounded(weight[i] - rounded(learningRate * g))) << i;
      const float b = rounded(rounded(momentum * buffer[i]) + g);
      ASSERT_EQ(moving[i], b) << i;
      ASSERT_EQ(moved[i], rounded(weight[i] - rounded(learningRate * b))) << i;
    }
  }
  setThreads(1);
}

double norm(const Tensor &tensor, int elements) {
  double squares = 0;
  for (int i = 0; i < elements; ++i)
    squares += double(tensor[i]) * double(tensor[i]);
  return std::sqrt(squares);
}

// Ranges are multiples of 16 elements; what lies behind the tensor's is padding, here no numbers. Sums of doubles in
// two orders agree in what is left of them as a float, but for a rounding at the border: one unit in the last place.
TEST(Lars, IsItsFormulaWhateverThePaddingAndTheThreads) {
  KernelLibrary library({{"lars", {{"momentum", int64_t(0)}}}, {"lars", {{"momentum", int64_t(1)}}}});
  std::mt19937 generator(17);
  const float learningRate = 0.05f, momentum = 0.9f, decay = 5e-4f, trust = 0.02f;
  for (int length : lengths) {
    const int whole = (length + 15) / 16 * 16;
    Tensor gradient = Tensor::random({whole}, generator), weight = Tensor::random({whole}, generator);
    Tensor buffer = Tensor::random({whole}, generator);
    for (int i = length; i < whole; ++i)
      gradient[i] = weight[i] = std::numeric_limits<float>::quiet_NaN();
    Tensor plain = weight, moved = weight, moving = buffer, moved3 = weight, moving3 = buffer;
    const double w = norm(weight, length), g = norm(gradient, length), ratio = trust * w / (g + decay * w);
    library.run(0, {learningRate, decay, trust, length}, {&gradient, &plain, &plain});
    library.run(1, {learningRate, momentum, decay, trust, length}, {&gradient, &moved, &moving, &moved, &moving});
    setThreads(3);
    library.run(1, {learningRate, momentum, decay, trust, length}, {&gradient, &moved3, &moving3, &moved3, &moving3});
    setThreads(1);
    for (int i = 0; i < length; ++i) {
      const double direction = ratio * (gradient[i] + double(decay) * weight[i]);
      ASSERT_NEAR(plain[i], weight[i] - learningRate * direction, 2e-7) << i << " of " << length;
      ASSERT_NEAR(moving[i], double(momentum) * buffer[i] + direction, 2e-7) << i << " of " << length;
      ASSERT_NEAR(moved[i], weight[i] - learningRate * (double(momentum) * buffer[i] + direction), 2e-7) << i;
      ASSERT_EQ(moved3[i], moved[i]) << i;
      ASSERT_EQ(moving3[i], moving[i]) << i;
    }
  }
}

// Where a norm is 0, the ratio is 1: the step is that of sgd, to the bit.
TEST(Lars, IsSgdWhereANormIsZero) {
  KernelLibrary library({{"lars", {{"momentum", int64_t(1)}}}, {"sgd", {{"momentum", int64_t(1)}}}});
  std::mt19937 generator(18);
  const float learningRate = 0.05f, momentum = 0.9f, decay = 0.25f;
  for (bool zeroWeights : {false, true}) {
    Tensor gradient = Tensor::random({48}, generator), weight = Tensor::random({48}, generator);
    Tensor buffer = Tensor::random({48}, generator);
    for (int i = 0; i < 48; ++i)
      (zeroWeights ? weight : gradient)[i] = 0;
    Tensor lars = weight, larsBuffer = buffer, sgd = weight, sgdBuffer = buffer;
    library.run(0, {learningRate, momentum, decay, 0.02f, 48}, {&gradient, &lars, &larsBuffer, &lars, &larsBuffer});
    library.run(1, {learningRate, momentum, decay}, {&gradient, &sgd, &sgdBuffer, &sgd, &sgdBuffer});
    for (int i = 0; i < 48; ++i) {
      ASSERT_EQ(lars[i], sgd[i]) << i;
      ASSERT_EQ(larsBuffer[i], sgdBuffer[i]) << i;
    }
  }
}

TEST(AdamW, IsPyTorchsToTheBit) {
  const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  CompiledKernel kernel("adamw", {{"beta1", beta1}, {"beta2", beta2}, {"epsilon", epsilon}});
  std::mt19937 generator(16);
  const float learningRate = 0.003f, decay = 0.01f;
  for (int length : lengths) {
    Tensor gradient = Tensor::random({length}, generator), weight = Tensor::random({length}, generator);
    Tensor first = Tensor::random({length}, generator), second = Tensor::random({length}, generator, 0, 1);
    Tensor moved = weight, m = first, v = second;
    setThreads(length > 20000 ? 3 : 1);
    const uint32_t step = uint32_t(length - 1); // the first and the 50021st are among them
    kernel.run({learningRate, decay, step}, {&gradient, &moved, &m, &v, &moved, &m, &v});
    const double t = double(step) + 1;
    const float keep = float(1.0 - double(learningRate) * double(decay));
    const float stepSize = float(double(learningRate) / (1 - std::pow(beta1, t)));
    const float correction = float(std::sqrt(1 - std::pow(beta2, t)));
    for (int i = 0; i < length; ++i) {
      const float g = gradient[i];
      const float expectedM = rounded(first[i] + rounded(rounded(g - first[i]) * float(1 - beta1)));
      const float expectedV = rounded(rounded(second[i] * float(beta2)) + rounded(rounded(float(1 - beta2) * g) * g));
      ASSERT_EQ(m[i], expectedM) << i;
      ASSERT_EQ(v[i], expectedV) << i;
      const float root = rounded(rounded(rounded(std::sqrt(expectedV)) / correction) + float(epsilon));
      ASSERT_EQ(moved[i], rounded(rounded(weight[i] * keep) - rounded(rounded(stepSize * expectedM) / root))) << i;
    }
  }
  setThreads(1);
}

TEST(MovingAverage, ToTheBit) {
  KernelLibrary library({KernelSpec{"moving_average", {}}});
  std::mt19937 generator(15);
  const float rate = 0.9f;
  for (int length : lengths) {
    Tensor batch = Tensor::random({length}, generator), running = Tensor::random({length}, generator);
    Tensor moved = running;
    library.run(0, {rate}, {&batch, &moved, &moved});
    for (int i = 0; i < length; ++i)
      ASSERT_EQ(moved[i], rounded(rounded(rate * running[i]) + rounded((1 - rate) * batch[i]))) << i;
  }
}

} // namespace
