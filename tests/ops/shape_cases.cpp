//===- shape_cases.cpp - Reshape, Flatten, Transpose; values used twice ---===//
#include "tests/ops/op_case.h"

#include <algorithm>

using namespace mlir;

namespace partyline::ops_test {

static OpCase transposed(std::string name, const Shape &sample, const Shape &permutation) {
  return {std::move(name), sample,
          [permutation](ModelBuilder &model, Value x) { return model.add<party::TransposeOp>(x, permutation); }};
}

static OpCase drawTranspose(Random &random) {
  Shape sample, permutation = {0};
  for (int64_t i = 0; i < 4; ++i) {
    sample.push_back(random.integer(1, 5));
    permutation.insert(permutation.begin() + random.integer(1, i + 1), i + 1);
  }
  return transposed("", sample, permutation);
}

static Value concatenated(ModelBuilder &model, const std::vector<Value> &parts, int64_t axis) {
  return model.add<party::ConcatOp>(parts, axis, false);
}

// x, a product of it and x again along any dimension but the batch.
static OpCase drawConcat(Random &random) {
  Shape sample;
  const int64_t rank = random.integer(1, 4);
  for (int64_t i = 0; i < rank; ++i)
    sample.push_back(random.integer(1, 5));
  const int64_t axis = random.integer(1, rank);
  return {"", sample, [axis](ModelBuilder &model, Value x) {
            return concatenated(model, {x, model.add<party::TanhOp>(x), x}, axis);
          }};
}

static OpCase sliced(std::string name, const Shape &sample, Shape starts, Shape extents, Shape steps) {
  starts.insert(starts.begin(), 0);
  extents.insert(extents.begin(), ShapedType::kDynamic);
  steps.insert(steps.begin(), 1);
  return {std::move(name), sample,
          [=](ModelBuilder &model, Value x) { return model.add<party::SliceOp>(x, starts, extents, steps, false); }};
}

static OpCase padded(std::string name, const Shape &sample, Shape low, Shape high, Shape interior, double value = 0) {
  for (Shape *pads : {&low, &high, &interior})
    pads->insert(pads->begin(), 0);
  return {std::move(name), sample, [=](ModelBuilder &model, Value x) {
            return model.add<party::PadOp>(x, low, high, interior, APFloat(value), false);
          }};
}

static OpCase drawSlice(Random &random) {
  Shape sample, starts, extents, steps;
  for (int64_t i = random.integer(1, 4); i > 0; --i) {
    sample.push_back(random.integer(1, 7));
    starts.push_back(random.integer(0, sample.back() - 1));
    steps.push_back(random.integer(1, 3));
    extents.push_back(random.integer(1, (sample.back() - 1 - starts.back()) / steps.back() + 1));
  }
  return sliced("", sample, starts, extents, steps);
}

static OpCase drawPad(Random &random) {
  Shape sample, low, high, interior;
  for (int64_t i = random.integer(1, 4); i > 0; --i) {
    sample.push_back(random.integer(1, 5));
    low.push_back(random.integer(0, 2));
    high.push_back(random.integer(0, 2));
    interior.push_back(random.integer(0, 1));
  }
  return padded("", sample, low, high, interior, double(random.integer(-1, 1)));
}

// The sums over dimensions whose extent in `kept` is 1.
static OpCase summed(std::string name, const Shape &sample, Shape kept) {
  kept.insert(kept.begin(), ShapedType::kDynamic);
  return {std::move(name), sample, [kept](ModelBuilder &model, Value x) {
            return model.add<party::SumToOp>(RankedTensorType::get(kept, Float32Type::get(&context())), x);
          }};
}

static OpCase drawSum(Random &random) {
  Shape sample, kept;
  for (int64_t rank = random.integer(1, 3); rank > 0; --rank) {
    sample.push_back(random.integer(1, 7));
    kept.push_back(random.integer(0, 1) ? sample.back() : 1);
  }
  return summed("", sample, kept);
}

std::vector<OpCase> shapeCases() {
  std::vector<OpCase> cases = {
      {"flatten", {2, 3, 4}, [](ModelBuilder &model, Value x) { return model.flattened(x); }},
      {"reshape",
       {2, 3, 4},
       [](ModelBuilder &model, Value x) {
         return model.reshaped(x, {4, 6});
       }},
      {"reshape_between_convolutions",
       {4, 3, 4},
       [](ModelBuilder &model, Value x) {
         Value y = model.reshaped(conv3x3(model, x, model.weight({4, 4, 3, 3})), {3, 4, 4});
         return conv3x3(model, y, model.weight({2, 3, 3, 3}));
       }},
      {"transpose_between_convolutions",
       {3, 4, 5},
       [](ModelBuilder &model, Value x) {
         Value y = model.add<party::TransposeOp>(conv3x3(model, x, model.weight({3, 3, 3, 3})), Shape{0, 2, 1, 3});
         return conv3x3(model, y, model.weight({2, 4, 3, 3}));
       }},
      {"reshaped_weight",
       {3, 4},
       [](ModelBuilder &model, Value x) {
         auto type = RankedTensorType::get({3, 4}, Float32Type::get(&context()));
         return model.add<party::AddOp>(x, model.add<party::ReshapeOp>(type, model.weight({12})));
       }},
      {"transposed_image_added_to_itself",
       {3, 4, 4},
       [](ModelBuilder &model, Value x) {
         return model.add<party::AddOp>(x, model.add<party::TransposeOp>(x, Shape{0, 1, 3, 2}));
       }},
      {"concat_of_convolutions",
       {3, 5, 4},
       [](ModelBuilder &model, Value x) {
         Value one = conv3x3(model, x, model.weight({4, 3, 3, 3})),
               other = conv3x3(model, x, model.weight({3, 3, 3, 3}));
         return conv3x3(model, concatenated(model, {one, other, x}, 1), model.weight({2, 10, 3, 3}));
       }},
      // The first and the last part are made in their places, the second is read by others, too.
      {"concat_of_activations",
       {3, 5, 4},
       [](ModelBuilder &model, Value x) {
         auto active = [&](int64_t channels) {
           return model.add<party::ReluOp>(conv3x3(model, x, model.weight({channels, 3, 3, 3})));
         };
         Value one = active(5), two = active(8), three = active(9);
         Value all = conv3x3(model, concatenated(model, {one, two, three}, 1), model.weight({2, 22, 3, 3}));
         Value again = conv3x3(model, model.add<party::TanhOp>(one), model.weight({2, 5, 3, 3}));
         return model.add<party::AddOp>(
             all, model.add<party::AddOp>(again, conv3x3(model, two, model.weight({2, 8, 3, 3}))));
       }},
      {"concat_of_activated_features",
       {6},
       [](ModelBuilder &model, Value x) {
         Value one = model.add<party::TanhOp>(model.add<party::MatmulOp>(x, model.weight({6, 5}), Value()));
         Value two = model.add<party::SigmoidOp>(model.add<party::MatmulOp>(x, model.weight({6, 8}), Value()));
         return model.add<party::MatmulOp>(concatenated(model, {one, x, two}, 1), model.weight({19, 3}), Value());
       }},
      {"activations_of_slices",
       {6, 4, 3},
       [](ModelBuilder &model, Value x) {
         Value y = conv3x3(model, x, model.weight({7, 6, 3, 3}));
         auto channels = [&](int64_t first, int64_t count) {
           return model.add<party::SliceOp>(y, Shape{0, first, 0, 0}, Shape{ShapedType::kDynamic, count, 4, 3},
                                            Shape{1, 1, 1, 1}, false);
         };
         Value gated = model.add<party::MultiplyOp>(model.add<party::TanhOp>(channels(0, 3)),
                                                    model.add<party::SigmoidOp>(channels(3, 3)));
         return conv3x3(model, concatenated(model, {gated, channels(6, 1)}, 1), model.weight({2, 4, 3, 3}));
       }},
      {"concat_of_rows_of_images",
       {3, 5, 4},
       [](ModelBuilder &model, Value x) {
         Value other = conv3x3(model, x, model.weight({3, 3, 3, 3}));
         return conv3x3(model, concatenated(model, {other, x}, 2), model.weight({2, 3, 3, 3}));
       }},
      {"slice_of_convolution",
       {3, 5, 6},
       [](ModelBuilder &model, Value x) {
         Value y = conv3x3(model, x, model.weight({4, 3, 3, 3}));
         Value part = model.add<party::SliceOp>(y, Shape{0, 1, 1, 0}, Shape{ShapedType::kDynamic, 2, 2, 6},
                                                Shape{1, 2, 3, 1}, false);
         return conv3x3(model, part, model.weight({2, 2, 3, 3}));
       }},
      {"padded_between_convolutions",
       {3, 5, 4},
       [](ModelBuilder &model, Value x) {
         Value y = conv3x3(model, x, model.weight({4, 3, 3, 3}));
         Value wide =
             model.add<party::PadOp>(y, Shape{0, 0, 1, 2}, Shape{0, 1, 0, 1}, Shape{0, 0, 0, 0}, APFloat(0.5), false);
         return conv3x3(model, wide, model.weight({2, 5, 3, 3}));
       }},
      summed("sum_of_row", {9}, {1}),
      summed("sums_of_columns", {5, 7}, {1, 7}),
      {"sum_over_channels",
       {3, 5, 4},
       [](ModelBuilder &model, Value x) {
         Value y = conv3x3(model, x, model.weight({4, 3, 3, 3}));
         auto type = RankedTensorType::get({ShapedType::kDynamic, 1, 5, 4}, Float32Type::get(&context()));
         return conv3x3(model, model.add<party::SumToOp>(type, y), model.weight({2, 1, 3, 3}));
       }},
      sliced("slice_row", {9}, {2}, {4}, {1}),
      sliced("slice_every_third", {10}, {1}, {3}, {3}),
      padded("pad_row", {9}, {2}, {1}, {0}),
      padded("pad_volume", {2, 3, 4, 2}, {1, 0, 2, 0}, {0, 1, 1, 0}, {0, 0, 0, 0}, -1),
      transposed("transpose_matrix", {5, 7}, {0, 2, 1}),
      transposed("transpose_image", {3, 4, 5}, {0, 3, 1, 2}),
      transposed("transpose_volume", {2, 3, 4, 5}, {0, 4, 2, 3, 1}),
  };
  return withRandom(std::move(cases), 4, 14, drawTranspose);
}

std::vector<OpCase> graphCases() {
  return {
      {"residual",
       {4, 5, 5},
       [](ModelBuilder &model, Value x) {
         Value y = model.add<party::ReluOp>(conv3x3(model, x, model.weight({4, 4, 3, 3})));
         return model.add<party::ReluOp>(model.add<party::AddOp>(x, conv3x3(model, y, model.weight({4, 4, 3, 3}))));
       }},
      {"residual_with_projection",
       {3, 6, 6},
       [](ModelBuilder &model, Value x) {
         Value main = conv3x3(model, x, model.weight({5, 3, 3, 3}), 2);
         Value projection = model.add<party::ConvOp>(x, model.weight({5, 3, 1, 1}), Value(), Shape{2, 2},
                                                     Shape{0, 0, 0, 0}, Shape{1, 1}, uint64_t(1), false);
         return model.add<party::AddOp>(main, projection);
       }},
      {"used_four_times",
       {7},
       [](ModelBuilder &model, Value x) {
         Value y = model.add<party::TanhOp>(x), z = model.add<party::SigmoidOp>(x);
         Value sum = model.add<party::AddOp>(model.add<party::MultiplyOp>(x, y), z);
         return model.add<party::SubtractOp>(sum, x);
       }},
      {"one_weight_in_two_products",
       {6},
       [](ModelBuilder &model, Value x) {
         Value weight = model.weight({6, 6});
         Value y = model.add<party::TanhOp>(model.add<party::MatmulOp>(x, weight, Value()));
         return model.add<party::MatmulOp>(y, weight, Value());
       }},
      {"one_weight_in_two_convolutions",
       {4, 4, 5},
       [](ModelBuilder &model, Value x) {
         Value weight = model.weight({4, 4, 3, 3});
         return conv3x3(model, model.add<party::ReluOp>(conv3x3(model, x, weight)), weight);
       }},
      {"one_weight_as_bias_and_factor",
       {6},
       [](ModelBuilder &model, Value x) {
         Value weight = model.weight({6});
         Value y = model.add<party::MatmulOp>(x, model.weight({6, 6}), weight);
         return model.add<party::MultiplyOp>(y, weight);
       }},
      {"one_bias_in_two_convolutions",
       {3, 4, 4},
       [](ModelBuilder &model, Value x) {
         Value bias = model.weight({3});
         for (int i = 0; i < 2; ++i)
           x = model.add<party::ConvOp>(x, model.weight({3, 3, 1, 1}), bias, Shape{1, 1}, Shape{0, 0, 0, 0},
                                        Shape{1, 1}, uint64_t(1), false);
         return x;
       }},
      {"frozen_convolution",
       {3, 4, 5},
       [](ModelBuilder &model, Value x) {
         return conv3x3(model, x, model.weight({4, 3, 3, 3}, -1, 1, kConstantKind));
       }},
      {"input_in_two_convolutions",
       {3, 4, 5},
       [](ModelBuilder &model, Value x) {
         Value y = conv3x3(model, model.input(), model.weight({3, 3, 3, 3}));
         return conv3x3(model, model.add<party::MultiplyOp>(x, y), model.weight({2, 3, 3, 3}));
       }},
      {"input_as_image_and_as_row",
       {2, 3, 4},
       [](ModelBuilder &model, Value x) {
         Value row = model.add<party::MatmulOp>(model.flattened(model.input()), model.weight({24, 24}), Value());
         Value image = conv3x3(model, model.input(), model.weight({2, 2, 3, 3}));
         return model.add<party::AddOp>(model.flattened(model.add<party::AddOp>(x, image)), row);
       }},
      {"two_branches_pooled",
       {4, 6, 6},
       [](ModelBuilder &model, Value x) {
         const Shape two = {2, 2}, unit = {1, 1}, none = {0, 0, 0, 0};
         return model.add<party::AddOp>(model.add<party::MaxPoolOp>(x, two, two, none, unit, false, false),
                                        model.add<party::AveragePoolOp>(x, two, two, none, false, false, false));
       }},
  };
}

INSTANTIATE_TEST_SUITE_P(Shape, OpTest, testing::ValuesIn(shapeCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(Graph, OpTest, testing::ValuesIn(graphCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(Concat, OpTest, testing::ValuesIn(randomCases(5, 16, drawConcat)), CaseName());
INSTANTIATE_TEST_SUITE_P(LongConcat, OpTest, testing::ValuesIn(randomCases(40, 17, drawConcat)), CaseName());
INSTANTIATE_TEST_SUITE_P(Slice, OpTest, testing::ValuesIn(randomCases(4, 18, drawSlice)), CaseName());
INSTANTIATE_TEST_SUITE_P(LongSlice, OpTest, testing::ValuesIn(randomCases(40, 19, drawSlice)), CaseName());
INSTANTIATE_TEST_SUITE_P(Pad, OpTest, testing::ValuesIn(randomCases(4, 20, drawPad)), CaseName());
INSTANTIATE_TEST_SUITE_P(LongPad, OpTest, testing::ValuesIn(randomCases(40, 21, drawPad)), CaseName());
INSTANTIATE_TEST_SUITE_P(LongSum, OpTest, testing::ValuesIn(randomCases(40, 26, drawSum)), CaseName());
INSTANTIATE_TEST_SUITE_P(LongTranspose, OpTest, testing::ValuesIn(randomCases(40, 15, drawTranspose)), CaseName());

} // namespace partyline::ops_test
