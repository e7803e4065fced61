//===- copy_test.cpp - scaled, strided copies -----------------------------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

TEST(Copy, MatchesLoops) {
  std::vector<KernelSpec> specs;
  for (int rank = 1; rank <= 5; ++rank)
    for (const char *inner : {"0", "1", "any"})
      if (rank != 3 || std::string(inner) == "1")
        specs.push_back({"copy", {{"rank", int64_t(rank)}, {"x_inner", std::string(inner)}}});
  KernelLibrary library(specs);
  std::mt19937 generator(4);
  for (size_t k = 0; k < specs.size(); ++k) {
    const int rank = static_cast<int>(std::get<int64_t>(specs[k].parameters["rank"]));
    const std::string inner = std::get<std::string>(specs[k].parameters["x_inner"]);
    SCOPED_TRACE("rank " + std::to_string(rank) + ", x_inner " + inner);
    for (int trial = 0; trial < 30; ++trial) {
      std::vector<int> shape(rank), strides(rank), order(rank);
      for (int &extent : shape)
        extent = 1 + generator() % (rank > 3 ? 7 : 19);
      if (trial % 10 == 9)
        shape.back() = rank > 3 ? 700 : 17000;
      // x is a dense tensor with its dimensions in any order; with "1" the innermost stays the innermost.
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), inner == "any" ? order.end() : order.end() - 1, generator);
      int stride = 1;
      for (int i = rank; i-- > 0;) {
        const bool isBroadcast = order[i] == rank - 1 ? inner == "0" : generator() % 5 == 0;
        strides[order[i]] = isBroadcast ? 0 : stride;
        stride *= isBroadcast ? 1 : shape[order[i]];
      }
      Tensor x(shape, ElementType::float32, strides);
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(generator() % 2000) / 8 - 100;
      const float factor = trial % 3 == 0 ? 1.0f : -0.75f;
      for (int accumulate : {0, 1}) {
        Tensor y(shape); // NaN everywhere
        if (accumulate)
          y = Tensor::random(shape, generator);
        const Tensor old = y;
        setThreads(trial % 2 ? 3 : 1);
        library.run(k, {factor, accumulate}, {&x, &y, &y});
        std::vector<int> index(rank, 0);
        for (size_t i = 0; i < y.size(); ++i) {
          const float term = factor * x.at(index); // products of these values are exact
          ASSERT_EQ(y[i], accumulate ? old[i] + term : term) << "element " << i;
          for (int d = rank; d-- > 0 && ++index[d] == shape[d];)
            index[d] = 0;
        }
      }
    }
  }
  setThreads(1);
}

} // namespace
