//===- matmul_test.cpp - matrix products against plain loops in double ----===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <cmath>

namespace partyline::kernels::test {

namespace {

/// Rounding of a sum of `terms` products of numbers below 1.
double tolerance(int terms) { return 2e-6 * std::sqrt(terms) + 1e-6; }

struct Case {
  int m, k, n;
};

struct Kernels {
  explicit Kernels(const std::vector<Case> &cases, int64_t candidate = 0) : library(specifications(cases, candidate)) {}

  static std::vector<KernelSpec> specifications(const std::vector<Case> &cases, int64_t candidate = 0) {
    std::vector<KernelSpec> kernels;
    for (const Case &c : cases) {
      const std::map<std::string, KernelSpec::Parameter> sizes = {{"k", int64_t(c.k)}, {"n", int64_t(c.n)}};
      auto withBias = sizes;
      withBias["bias"] = int64_t(c.k % 2);
      kernels.push_back({"matmul", withBias});
      kernels.push_back({"matmul_input_gradient", sizes});
      kernels.push_back({"matmul_weight_gradient", sizes});
    }
    if (candidate)
      for (KernelSpec &kernel : kernels)
        kernel.parameters["candidate"] = candidate;
    return kernels;
  }

  KernelLibrary library;
};

void checkForward(const KernelLibrary &library, size_t kernel, const Case &c, std::mt19937 &generator) {
  Tensor x = Tensor::random({c.m, c.k}, generator), w = Tensor::random({c.k, c.n}, generator);
  Tensor bias = Tensor::random({c.n}, generator), y({c.m, c.n});
  std::vector<double> expected(y.size());
  for (int m = 0; m < c.m; ++m)
    for (int n = 0; n < c.n; ++n) {
      double sum = c.k % 2 ? bias[n] : 0;
      for (int k = 0; k < c.k; ++k)
        sum += double(x.at({m, k})) * w.at({k, n});
      expected[m * c.n + n] = sum;
    }
  std::vector<Tensor *> buffers = {&x, &w, &y};
  if (c.k % 2)
    buffers.insert(buffers.begin() + 2, &bias);
  library.run(kernel, {}, buffers);
  expectClose(y, expected, tolerance(c.k), "matmul");
}

void checkInputGradient(const KernelLibrary &library, size_t kernel, const Case &c, std::mt19937 &generator) {
  Tensor dy = Tensor::random({c.m, c.n}, generator), w = Tensor::random({c.k, c.n}, generator), dx({c.m, c.k});
  std::vector<double> expected(dx.size());
  for (int m = 0; m < c.m; ++m)
    for (int k = 0; k < c.k; ++k)
      for (int n = 0; n < c.n; ++n)
        expected[m * c.k + k] += double(dy.at({m, n})) * w.at({k, n});
  library.run(kernel, {}, {&dy, &w, &dx});
  expectClose(dx, expected, tolerance(c.n), "input gradient");
}

void checkWeightGradient(const KernelLibrary &library, size_t kernel, const Case &c, std::mt19937 &generator) {
  Tensor x = Tensor::random({c.m, c.k}, generator), dy = Tensor::random({c.m, c.n}, generator), dw({c.k, c.n});
  std::vector<double> expected(dw.size());
  for (int k = 0; k < c.k; ++k)
    for (int n = 0; n < c.n; ++n)
      for (int m = 0; m < c.m; ++m)
        expected[k * c.n + n] += double(x.at({m, k})) * dy.at({m, n});
  library.run(kernel, {0}, {&x, &dy, &dw, &dw});
  expectClose(dw, expected, tolerance(c.m), "weight gradient over NaN");

  const Tensor old = Tensor::random({c.k, c.n}, generator);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] += old[i];
  dw = old;
  library.run(kernel, {1}, {&x, &dy, &dw, &dw});
  expectClose(dw, expected, tolerance(c.m), "weight gradient added");

  Tensor again = old;
  setThreads(3);
  library.run(kernel, {1}, {&x, &dy, &again, &again});
  setThreads(1);
  EXPECT_TRUE(std::equal(dw.data<float>(), dw.data<float>() + dw.size(), again.data<float>()))
      << "the result depends on the number of threads";
}

/// Each shape is one set of kernels, called with several numbers of rows.
void check(const std::vector<Case> &cases, const std::vector<int> &rows, std::mt19937 &generator,
           int64_t candidate = 0) {
  Kernels kernels(cases, candidate);
  for (size_t i = 0; i < cases.size(); ++i)
    for (int m : rows) {
      const Case c = {m, cases[i].k, cases[i].n};
      SCOPED_TRACE("m " + std::to_string(c.m) + " k " + std::to_string(c.k) + " n " + std::to_string(c.n));
      checkForward(kernels.library, 3 * i, c, generator);
      checkInputGradient(kernels.library, 3 * i + 1, c, generator);
      checkWeightGradient(kernels.library, 3 * i + 2, c, generator);
    }
}

} // namespace

TEST(Matmul, HandWorked) {
  Kernels kernels({{2, 3, 2}});
  Tensor x({2, 3}, {1, 2, 3, 4, 5, 6}), w({3, 2}, {1, 0, 0, 1, 2, -1}), bias({2}, {10, 20}), y({2, 2});
  kernels.library.run(0, {}, {&x, &w, &bias, &y});
  expectClose(y, {17, 19, 26, 19}, 0, "y = x w + bias");
  Tensor dy({2, 2}, {1, 2, 3, 4}), dx({2, 3}), dw({3, 2}, {1, 1, 1, 1, 1, 1});
  kernels.library.run(1, {}, {&dy, &w, &dx});
  expectClose(dx, {1, 2, 0, 3, 4, 2}, 0, "dx = dy w^T");
  kernels.library.run(2, {1}, {&x, &dy, &dw, &dw});
  expectClose(dw, {14, 19, 18, 25, 22, 31}, 0, "dw = 1 + x^T dy");
}

TEST(Matmul, AwkwardShapes) {
  std::mt19937 generator(1);
  check({{0, 1, 1}, {0, 84, 10}, {0, 17, 33}, {0, 65, 3}, {0, 30, 100}}, {1, 2, 7, 64, 131}, generator);
}

// Deeper than a step and wider than a group of panels.
TEST(Matmul, ManySteps) {
  std::mt19937 generator(5);
  check({{0, 300, 1100}, {0, 257, 530}}, {1, 9, 70}, generator);
}

TEST(Matmul, OtherCandidates) {
  std::mt19937 generator(4);
  for (int64_t candidate : {1, 2, 5}) { // other blocks, another tile, both
    SCOPED_TRACE("candidate " + std::to_string(candidate));
    check({{0, 84, 10}, {0, 33, 65}}, {1, 7, 131}, generator, candidate);
  }
}

TEST(Matmul, KindShapes) {
  std::mt19937 generator(2);
  check({{0, 64, 64}, {0, 256, 48}}, {1, 96, 200}, generator);
}

TEST(Matmul, DepthBeyondTheStack) {
  std::mt19937 generator(3);
  check({{0, 1100, 20}}, {1, 9}, generator);
}

TEST(Matmul, ArmObjectsNeedOnlyTheWorker) {
  const auto kernels = Kernels::specifications({{0, 84, 10}, {0, 64, 64}});
  EXPECT_EQ(foreignSymbols(kernels, "arm-64-linux"), std::vector<std::string>{});
  EXPECT_EQ(foreignSymbols(kernels, "arm-64-android"), std::vector<std::string>{});
}

} // namespace partyline::kernels::test
