//===- pooling_cases.cpp - MaxPool, AveragePool, GlobalAveragePool --------===//
#include "tests/ops/op_case.h"

#include <algorithm>

using namespace mlir;

namespace partyline::ops_test {

namespace {

struct Pooling {
  Shape image; ///< C, H, W
  Shape kernel, strides = {1, 1}, pads = {0, 0, 0, 0};
  bool ceilMode = false;
  Shape dilations = {1, 1};     ///< max pooling only
  bool countIncludePad = false; ///< average pooling only
};

} // namespace

static OpCase maxPool(std::string name, const Pooling &pool) {
  return {std::move(name), pool.image, [pool](ModelBuilder &model, Value x) {
            return model.add<party::MaxPoolOp>(x, pool.kernel, pool.strides, pool.pads, pool.dilations, pool.ceilMode,
                                               false);
          }};
}

static OpCase averagePool(std::string name, const Pooling &pool) {
  return {std::move(name), pool.image, [pool](ModelBuilder &model, Value x) {
            return model.add<party::AveragePoolOp>(x, pool.kernel, pool.strides, pool.pads, pool.countIncludePad,
                                                   pool.ceilMode, false);
          }};
}

static OpCase globalPool(std::string name, const Shape &sample) {
  return {std::move(name), sample,
          [](ModelBuilder &model, Value x) { return model.add<party::GlobalAveragePoolOp>(x, false); }};
}

// Pads are smaller than the kernel, as ONNX wants: every window has an element of the image.
static Pooling drawPooling(Random &random, bool isDilated) {
  auto draw = [&](int64_t low, int64_t high) { return random.integer(low, high); };
  Pooling pool{{draw(1, 19), 0, 0}, {draw(1, 4), draw(1, 4)}};
  pool.strides = {draw(1, 3), draw(1, 3)};
  pool.ceilMode = draw(0, 1);
  pool.countIncludePad = draw(0, 1);
  if (isDilated)
    pool.dilations = {draw(1, 2), draw(1, 2)};
  for (size_t i : {0, 1}) {
    const int64_t reach = (pool.kernel[i] - 1) * pool.dilations[i] + 1;
    const int64_t most = pool.dilations[i] == 1 ? reach - 1 : 0;
    pool.pads[i] = draw(0, most);
    pool.pads[2 + i] = draw(0, most);
    pool.image[1 + i] = std::max<int64_t>(1, reach - pool.pads[i] - pool.pads[2 + i]) + draw(0, 6);
  }
  return pool;
}

static OpCase drawMaxPool(Random &random) { return maxPool("", drawPooling(random, random.integer(0, 1))); }
static OpCase drawAveragePool(Random &random) { return averagePool("", drawPooling(random, false)); }

static std::vector<OpCase> maxPoolCases() {
  const Shape unit = {1, 1}, two = {2, 2}, three = {3, 3}, same = {1, 1, 1, 1}, none = {0, 0, 0, 0};
  return {
      maxPool("max_2", {{5, 6, 8}, two, two}),
      maxPool("max_overlapping", {{5, 7, 6}, three, two, same}),
      maxPool("max_stride_1", {{17, 5, 5}, three, unit, same}),
      maxPool("max_leaves_rest", {{3, 7, 8}, two, three}),
      maxPool("max_ceil", {{4, 6, 7}, three, two, none, true}),
      maxPool("max_ceil_padded", {{4, 6, 7}, three, two, same, true}),
      maxPool("max_asymmetric", {{3, 6, 5}, {3, 2}, two, {0, 1, 2, 0}}),
      maxPool("max_dilated", {{3, 8, 7}, {2, 3}, unit, none, false, {3, 2}}),
      maxPool("max_whole_image", {{6, 4, 3}, {4, 3}}),
      maxPool("max_large_window", {{2, 18, 17}, {17, 17}}), // positions need sixteen bits
  };
}

static std::vector<OpCase> averagePoolCases() {
  const Shape unit = {1, 1}, two = {2, 2}, three = {3, 3}, same = {1, 1, 1, 1}, none = {0, 0, 0, 0};
  return {
      averagePool("average_2", {{5, 6, 8}, two, two}),
      averagePool("average_overlapping", {{5, 7, 6}, three, two, same}),
      averagePool("average_include_pad", {{5, 7, 6}, three, two, same, false, unit, true}),
      averagePool("average_stride_1", {{17, 5, 5}, three, unit, same}),
      averagePool("average_leaves_rest", {{3, 7, 8}, two, three}),
      averagePool("average_ceil", {{4, 6, 7}, three, two, none, true}),
      averagePool("average_ceil_padded", {{4, 6, 6}, three, {2, 3}, same, true}),
      averagePool("average_ceil_include_pad", {{4, 6, 6}, three, {2, 3}, same, true, unit, true}),
      averagePool("average_asymmetric", {{3, 6, 5}, {3, 2}, two, {0, 1, 2, 0}, false, unit, true}),
      globalPool("global", {7, 5, 6}),
      globalPool("global_of_one", {7, 1, 1}),
      globalPool("global_of_line", {3, 8}),
      globalPool("global_of_volume", {3, 2, 3, 4}),
  };
}

std::vector<OpCase> poolingCases() {
  std::vector<OpCase> cases = maxPoolCases();
  for (std::vector<OpCase> more : {averagePoolCases(), randomCases(5, 7, [](Random &random) {
                                     return random.integer(0, 1) ? drawMaxPool(random) : drawAveragePool(random);
                                   })})
    cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Pool, OpTest, testing::ValuesIn(poolingCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(LongMaxPool, OpTest, testing::ValuesIn(randomCases(40, 8, drawMaxPool)), CaseName());
INSTANTIATE_TEST_SUITE_P(LongAveragePool, OpTest, testing::ValuesIn(randomCases(40, 9, drawAveragePool)), CaseName());

} // namespace partyline::ops_test
