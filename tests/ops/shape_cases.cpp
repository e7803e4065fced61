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
      {"concat_of_rows_of_images",
       {3, 5, 4},
       [](ModelBuilder &model, Value x) {
         Value other = conv3x3(model, x, model.weight({3, 3, 3, 3}));
         return conv3x3(model, concatenated(model, {other, x}, 2), model.weight({2, 3, 3, 3}));
       }},
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
INSTANTIATE_TEST_SUITE_P(LongTranspose, OpTest, testing::ValuesIn(randomCases(40, 15, drawTranspose)), CaseName());

} // namespace partyline::ops_test
