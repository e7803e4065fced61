//===- layout_test.cpp ----------------------------------------------------===//
#include "runtime/shared/layout.h"

#include "runtime/shared/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace partyline;

/// Element by element, from the definition: stored dimension i is view dimension permutation[i].
static std::vector<float> naiveStore(const std::vector<float> &onnx, const Layout &layout) {
  size_t rank = layout.view.size();
  std::vector<float> stored(onnx.size());
  for (size_t e = 0; e < onnx.size(); ++e) {
    std::vector<int64_t> index(rank);
    for (size_t d = rank, rest = e; d-- > 0; rest /= layout.view[d])
      index[d] = rest % layout.view[d];
    size_t at = 0;
    for (int64_t d : layout.permutation)
      at = at * layout.view[d] + index[d];
    stored[at] = onnx[e];
  }
  return stored;
}

static std::vector<float> numbered(int64_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.f);
  return values;
}

TEST(Layout, EmptyLayoutCopies) {
  std::vector<float> onnx = numbered(24), stored(24), back(24);
  storeInLayout(onnx.data(), {2, 3, 4}, {}, stored.data());
  loadFromLayout(stored.data(), {2, 3, 4}, {}, back.data());
  EXPECT_EQ(stored, onnx);
  EXPECT_EQ(back, onnx);
}

TEST(Layout, ConvolutionWeight) {
  // OIHW 2x1x1x3 as HWIO 1x3x1x2: the two output channels side by side.
  std::vector<float> onnx = {1, 2, 3, 4, 5, 6}, stored(6);
  storeInLayout(onnx.data(), {2, 1, 1, 3}, {{2, 1, 1, 3}, {2, 3, 1, 0}}, stored.data());
  EXPECT_EQ(stored, (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(Layout, RandomPermutationsAgainstTheDefinition) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    Layout layout;
    int64_t rank = 1 + random() % 6;
    for (int64_t d = 0; d < rank; ++d) {
      layout.view.push_back(1 + random() % 5);
      layout.permutation.push_back(d);
    }
    std::shuffle(layout.permutation.begin(), layout.permutation.end(), random);
    int64_t count = elementCount(layout.view);
    // The ONNX shape need not be the view.
    std::vector<int64_t> shape = {count, 1};
    checkLayout("w", shape, layout);
    std::vector<float> onnx = numbered(count), stored(count), back(count);
    storeInLayout(onnx.data(), shape, layout, stored.data());
    ASSERT_EQ(stored, naiveStore(onnx, layout)) << "round " << round;
    loadFromLayout(stored.data(), shape, layout, back.data());
    ASSERT_EQ(back, onnx) << "round " << round;
  }
}

TEST(Layout, EmptyTensorTouchesNothing) {
  float guard = 7;
  storeInLayout(&guard, {0, 3}, {{0, 3}, {1, 0}}, &guard);
  loadFromLayout(&guard, {0, 3}, {{0, 3}, {1, 0}}, &guard);
  EXPECT_EQ(guard, 7);
}

TEST(Layout, ImpossibleLayoutsAreErrors) {
  std::vector<int64_t> shape = {2, 3};
  EXPECT_NO_THROW(checkLayout("w", shape, {}));
  EXPECT_NO_THROW(checkLayout("w", shape, {{2, 3}, {1, 0}}));
  for (const Layout &layout : {Layout{{2, 2}, {1, 0}}, Layout{{2, 3}, {0, 0}}, Layout{{2, 3}, {0, 2}},
                               Layout{{2, 3}, {0}}, Layout{{2, 3}, {}}, Layout{{}, {0, 1}}, Layout{{-2, -3}, {0, 1}}})
    EXPECT_THROW(checkLayout("w", shape, layout), Error);
  EXPECT_THROW(elementCount({int64_t(1) << 40, int64_t(1) << 40}), Error);
}
