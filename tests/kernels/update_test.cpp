//===- update_test.cpp - sgd and moving_average, to the bit ---------------===//
//
// Replicas on different CPUs must stay identical: the reference rounds after every operation, and so must the kernels.
//
//===----------------------------------------------------------------------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

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
