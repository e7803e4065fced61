//===- convolution_cases.cpp - Conv ---------------------------------------===//
#include "tests/ops/op_case.h"

#include <algorithm>

using namespace mlir;

namespace partyline::ops_test {

namespace {

struct Convolution {
  Shape image; ///< C, H, W
  int64_t filters;
  Shape kernel, strides = {1, 1}, pads = {0, 0, 0, 0}, dilations = {1, 1};
  int64_t groups = 1;
  bool hasBias = true;
};

} // namespace

static OpCase caseOf(std::string name, const Convolution &conv) {
  return {std::move(name), conv.image, [conv](ModelBuilder &model, Value x) {
            const int64_t groupChannels = conv.image[0] / conv.groups;
            Value weight = model.weight({conv.filters, groupChannels, conv.kernel[0], conv.kernel[1]});
            Value bias = conv.hasBias ? model.weight({conv.filters}) : Value();
            return model.add<party::ConvOp>(x, weight, bias, conv.strides, conv.pads, conv.dilations,
                                            uint64_t(conv.groups), false);
          }};
}

Value conv3x3(ModelBuilder &model, Value x, Value weight, int64_t stride) {
  return model.add<party::ConvOp>(x, weight, Value(), Shape{stride, stride}, Shape{1, 1, 1, 1}, Shape{1, 1},
                                  uint64_t(1), false);
}

static Convolution drawGeometry(Random &random) {
  auto draw = [&](int64_t low, int64_t high) { return random.integer(low, high); };
  Convolution conv{{}, 0, {draw(1, 4), draw(1, 4)}};
  conv.strides = {draw(1, 3), draw(1, 3)};
  conv.dilations = {draw(1, 2), draw(1, 2)};
  conv.pads = {draw(0, 2), draw(0, 2), draw(0, 2), draw(0, 2)};
  conv.groups = draw(0, 1) ? 1 : draw(2, 9);
  conv.image = {conv.groups * (conv.groups > 1 ? draw(1, 3) : draw(1, 20)), 0, 0};
  conv.filters = conv.groups * (conv.groups > 1 ? draw(1, 3) : draw(1, 20));
  for (size_t i : {0, 1}) {
    const int64_t reach = (conv.kernel[i] - 1) * conv.dilations[i] + 1;
    conv.image[1 + i] = std::max<int64_t>(1, reach - conv.pads[i] - conv.pads[2 + i]) + draw(0, 6);
  }
  conv.hasBias = draw(0, 1);
  return conv;
}

static OpCase drawConvolution(Random &random) { return caseOf("", drawGeometry(random)); }

// The transposed convolution whose output has the extents of `conv.image` behind the channels; its input is what the
// convolution makes of such an image.
static OpCase transposedCase(std::string name, const Convolution &conv) {
  Shape input = {conv.filters};
  for (size_t i : {0, 1})
    input.push_back(
        (conv.image[1 + i] + conv.pads[i] + conv.pads[2 + i] - (conv.kernel[i] - 1) * conv.dilations[i] - 1) /
            conv.strides[i] +
        1);
  return {std::move(name), input, [conv](ModelBuilder &model, Value x) {
            Value weight = model.weight({conv.filters, conv.image[0] / conv.groups, conv.kernel[0], conv.kernel[1]});
            return model.add<party::ConvTransposeOp>(x, weight, Shape{conv.image[1], conv.image[2]}, conv.strides,
                                                     conv.pads, conv.dilations, uint64_t(conv.groups), false);
          }};
}

static OpCase drawTransposed(Random &random) { return transposedCase("", drawGeometry(random)); }

std::vector<OpCase> convolutionCases() {
  const Shape unit = {1, 1}, two = {2, 2}, same = {1, 1, 1, 1}, none = {0, 0, 0, 0};
  std::vector<OpCase> cases = {
      caseOf("plain", {{5, 7, 6}, 7, {3, 3}, unit, same}),
      caseOf("no_bias", {{4, 6, 6}, 8, {3, 3}, unit, same, unit, 1, false}),
      caseOf("wide", {{32, 4, 4}, 32, {3, 3}, unit, same, unit, 1, false}),
      caseOf("one_channel", {{1, 9, 9}, 6, {5, 5}}),
      caseOf("pointwise", {{16, 5, 4}, 19, {1, 1}}),
      caseOf("pointwise_stride_2", {{6, 9, 7}, 10, {1, 1}, two, none, unit, 1, false}),
      caseOf("pointwise_in_padding", {{3, 4, 4}, 5, {1, 1}, unit, same}),
      caseOf("asymmetric_pads", {{3, 6, 5}, 4, {3, 2}, unit, {0, 1, 2, 0}}),
      caseOf("dilated", {{4, 9, 10}, 5, {3, 3}, unit, {2, 3, 2, 3}, {2, 3}}),
      caseOf("dilated_stride_2", {{4, 9, 10}, 5, {3, 3}, two, {2, 2, 2, 2}, two}),
      caseOf("stride_leaves_rest", {{4, 8, 9}, 6, {3, 3}, {3, 2}}),
      caseOf("stride_beyond_kernel", {{4, 9, 8}, 6, {2, 1}, {3, 3}}),
      caseOf("stem", {{3, 15, 15}, 8, {7, 7}, two, {3, 3, 3, 3}, unit, 1, false}),
      caseOf("whole_image", {{4, 5, 5}, 9, {5, 5}}),
      caseOf("groups", {{8, 7, 6}, 12, {3, 3}, unit, same, unit, 4}),
      caseOf("groups_stride_2", {{6, 7, 6}, 9, {3, 3}, two, same, unit, 3, false}),
      caseOf("depthwise", {{11, 7, 7}, 11, {3, 3}, unit, same, unit, 11}),
      caseOf("depthwise_stride_2", {{24, 6, 6}, 24, {3, 3}, two, same, unit, 24, false}),
      caseOf("depthwise_stride_2_odd", {{17, 7, 9}, 17, {5, 5}, two, {2, 2, 2, 2}, unit, 17}),
      transposedCase("transposed", {{5, 7, 6}, 7, {3, 3}, unit, same}),
      transposedCase("transposed_stride_2", {{6, 8, 10}, 9, {4, 4}, two, same}),
      transposedCase("transposed_output_padding", {{4, 8, 9}, 6, {3, 3}, {3, 2}, {1, 0, 0, 1}}),
      transposedCase("transposed_groups", {{8, 9, 7}, 12, {3, 3}, two, none, unit, 4}),
      caseOf("depthwise_twice_the_filters", {{5, 6, 6}, 10, {3, 3}, unit, same, unit, 5}),
  };
  return withRandom(std::move(cases), 6, 1, drawConvolution);
}

INSTANTIATE_TEST_SUITE_P(Conv, OpTest, testing::ValuesIn(convolutionCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(LongConvTranspose, OpTest, testing::ValuesIn(randomCases(40, 22, drawTransposed)), CaseName());
INSTANTIATE_TEST_SUITE_P(LongConv, OpTest, testing::ValuesIn(randomCases(60, 2, drawConvolution)), CaseName());

} // namespace partyline::ops_test
