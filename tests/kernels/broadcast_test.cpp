//===- broadcast_test.cpp - add, subtract, multiply with broadcasting -----===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

/// An operand of a shape in which some dimensions, those with a set bit (bit 0: the innermost), are broadcast.
Tensor operand(const std::vector<int> &shape, unsigned broadcast, std::mt19937 &generator) {
  std::vector<int> strides(shape.size());
  int stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    const bool isBroadcast = broadcast >> (shape.size() - 1 - d) & 1;
    strides[d] = isBroadcast ? 0 : stride;
    stride *= isBroadcast ? 1 : shape[d];
  }
  Tensor result(shape, ElementType::float32, strides);
  Tensor values = Tensor::random({static_cast<int>(result.size())}, generator, -2, 2);
  std::copy_n(values.data<float>(), result.size(), result.data<float>());
  return result;
}

TEST(Broadcast, MatchesLoops) {
  struct Case {
    const char *family;
    int rank, aInner, bInner;
  };
  const std::vector<Case> cases = {{"add", 1, 1, 1},      {"add", 2, 1, 0},      {"add", 3, 0, 1},
                                   {"add", 4, 1, 1},      {"subtract", 1, 1, 0}, {"subtract", 2, 1, 1},
                                   {"subtract", 4, 0, 1}, {"multiply", 2, 0, 1}, {"multiply", 3, 1, 1},
                                   {"multiply", 4, 0, 0}};
  std::vector<KernelSpec> specs;
  for (const Case &c : cases)
    specs.push_back(
        {c.family, {{"rank", int64_t(c.rank)}, {"a_inner", int64_t(c.aInner)}, {"b_inner", int64_t(c.bInner)}}});
  KernelLibrary library(specs);
  std::mt19937 generator(2);
  for (size_t k = 0; k < cases.size(); ++k) {
    const Case &c = cases[k];
    SCOPED_TRACE(std::string(c.family) + " of rank " + std::to_string(c.rank));
    for (int trial = 0; trial < 40; ++trial) {
      std::vector<int> shape;
      for (int d = 0; d < c.rank; ++d) {
        const int largest = trial % 4 == 0 ? 3 : 21;
        shape.push_back(1 + generator() % largest);
      }
      if (trial % 8 == 7)
        shape.back() = 16384 + generator() % 20000 / (c.rank == 4 ? 20 : 1);
      if (trial % 8 == 7)
        for (int d = 0; d + 1 < c.rank; ++d)
          shape[d] = 1 + generator() % 3;
      // The innermost dimension is broadcast as the parameters say, the others at random.
      Tensor a = operand(shape, (generator() & ~1u) | (c.aInner == 0), generator);
      Tensor b = operand(shape, (generator() & ~1u) | (c.bInner == 0), generator);
      Tensor y(shape);
      setThreads(trial % 2 ? 3 : 1);
      library.run(k, {}, {&a, &b, &y});
      std::vector<int> index(c.rank, 0);
      for (size_t i = 0; i < y.size(); ++i) {
        const float left = a.at(index), right = b.at(index);
        const float expected = c.family[0] == 'a' ? left + right : c.family[0] == 's' ? left - right : left * right;
        ASSERT_EQ(y[i], expected) << "element " << i << " of " << y.size();
        for (int d = c.rank; d-- > 0 && ++index[d] == shape[d];)
          index[d] = 0;
      }
    }
  }
  setThreads(1);
}

// Three operands, and what is not a number: neither of two operands hides the other's.
TEST(Broadcast, SelectionAndExtrema) {
  auto flat = [](const char *family, std::initializer_list<const char *> operands) {
    KernelSpec spec = {family, {{"rank", int64_t(1)}}};
    for (const char *operand : operands)
      spec.parameters[std::string(operand) + "_inner"] = int64_t(1);
    return spec;
  };
  KernelLibrary library({flat("maximum", {"a", "b"}), flat("minimum", {"a", "b"}),
                         flat("extremum_gradient", {"a", "b", "c"}), flat("where", {"a", "b", "c"}),
                         flat("greater_or_equal", {"a", "b"})});
  Tensor a({5}, {1, 2, 3, NAN, 1}), b({5}, {2, 2, 1, 1, NAN}), dy({5}, {10, 10, 10, 10, 10}), y({5});
  auto expect = [&](size_t kernel, std::initializer_list<Tensor *> operands, const std::vector<float> &expected) {
    std::vector<Tensor *> buffers = operands;
    buffers.push_back(&y);
    library.run(kernel, {}, buffers);
    for (int i = 0; i < 5; ++i)
      EXPECT_TRUE(y[i] == expected[i] || (std::isnan(y[i]) && std::isnan(expected[i]))) << kernel << ": " << y[i];
  };
  expect(0, {&a, &b}, {2, 2, 3, NAN, NAN});
  expect(1, {&a, &b}, {1, 2, 1, NAN, NAN});
  expect(2, {&a, &b, &dy}, {0, 5, 10, 0, 0});
  expect(3, {&a, &b, &dy}, {2, 2, 1, 1, NAN});
  expect(4, {&a, &b}, {0, 1, 1, 0, 0});
  Tensor zero({5}, {0, 1, 0, -0.0f, 1});
  expect(3, {&zero, &a, &dy}, {10, 2, 10, 10, 1});
}

TEST(Broadcast, InPlace) {
  KernelLibrary library({{"add", {{"rank", int64_t(1)}, {"a_inner", int64_t(1)}, {"b_inner", int64_t(1)}}}});
  std::mt19937 generator(3);
  for (int length : {1, 5, 8, 13, 100, 33333}) {
    Tensor a = Tensor::random({length}, generator), b = Tensor::random({length}, generator), sum = a;
    library.run(0, {}, {&sum, &b, &sum});
    for (int i = 0; i < length; ++i)
      ASSERT_EQ(sum[i], a[i] + b[i]);
  }
}

} // namespace
