//===- update_test.cpp - sgd, adamw and moving_average, to the bit ---------------===//
//
// Replicas on different CPUs must stay identical: the reference rounds after every operation, and so must the kernels.
//
//===----------------------------------------------------------------------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <cmath>

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
