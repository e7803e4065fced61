//===- elementwise_cases.cpp - arithmetic with broadcasting, activations --===//
#include "tests/ops/op_case.h"

#include <limits>

using namespace mlir;

namespace partyline::ops_test {

namespace {

enum class Operation { add, subtract, multiply };

} // namespace

static Value binary(ModelBuilder &model, Operation operation, Value lhs, Value rhs) {
  return operation == Operation::add        ? model.add<party::AddOp>(lhs, rhs)
         : operation == Operation::subtract ? model.add<party::SubtractOp>(lhs, rhs)
                                            : model.add<party::MultiplyOp>(lhs, rhs);
}

static OpCase withWeight(std::string name, Operation operation, const Shape &sample, const Shape &weight,
                         bool isWeightFirst = false) {
  return {std::move(name), sample, [=](ModelBuilder &model, Value x) {
            Value w = model.weight(weight);
            return isWeightFirst ? binary(model, operation, w, x) : binary(model, operation, x, w);
          }};
}

// A weight that has some of the sample's extents, and 1 or nothing in place of the others.
static OpCase drawBroadcast(Random &random) {
  Shape sample, weight;
  const int64_t rank = random.integer(1, 4);
  for (int64_t i = 0; i < rank; ++i)
    sample.push_back(random.integer(1, 6));
  for (int64_t i = random.integer(0, rank); i < rank; ++i)
    weight.push_back(random.integer(0, 1) ? sample[size_t(i)] : 1);
  return withWeight("", Operation(random.integer(0, 2)), sample, weight, random.integer(0, 1));
}

template <typename Op> static Value unary(ModelBuilder &model, Value x) {
  return model.add<Op>(model.add<party::ScaleOp>(x, APFloat(3.0)));
}

template <typename Op> static OpCase withAlpha(std::string name, const Shape &sample, double alpha) {
  return {std::move(name), sample, [=](ModelBuilder &model, Value x) {
            return model.add<Op>(model.add<party::ScaleOp>(x, APFloat(3.0)), APFloat(alpha));
          }};
}

// A divisor between 1 and 2.
static Value positive(ModelBuilder &model, Value x) {
  Value gate = model.add<party::SigmoidOp>(x);
  Value one = model.add<party::ScaleOp>(model.add<party::SigmoidOp>(model.add<party::SubtractOp>(x, x)), APFloat(2.0));
  return model.add<party::AddOp>(gate, one);
}

static OpCase clipped(std::string name, const Shape &sample, double minimum, double maximum) {
  return {std::move(name), sample, [=](ModelBuilder &model, Value x) {
            Value wide = model.add<party::ScaleOp>(x, APFloat(3.0));
            return model.add<party::ClipOp>(wide, APFloat(minimum), APFloat(maximum));
          }};
}

// A gate per channel of the image: both operands come from the sample, one is broadcast.
static Value gated(ModelBuilder &model, Operation operation, Value x, bool isGateFirst) {
  Value gate = model.add<party::SigmoidOp>(model.add<party::GlobalAveragePoolOp>(model.scaled(x), false));
  return isGateFirst ? binary(model, operation, gate, x) : binary(model, operation, x, gate);
}

// [5, 1] and [1, 4]: neither has the result's shape.
static OpCase bothBroadcast(std::string name, Operation operation) {
  return {std::move(name), {1, 4}, [operation](ModelBuilder &model, Value x) {
            return binary(model, operation, x, model.weight({5, 1}));
          }};
}

std::vector<OpCase> elementwiseCases() {
  const Shape image = {5, 3, 4};
  std::vector<OpCase> cases = {
      {"relu", {37}, unary<party::ReluOp>},
      {"relu_of_image", image, unary<party::ReluOp>},
      withAlpha<party::LeakyReluOp>("leaky_relu", {37}, 0.125),
      withAlpha<party::LeakyReluOp>("leaky_relu_of_image", image, 0),
      withAlpha<party::EluOp>("elu", {37}, 1),
      withAlpha<party::EluOp>("elu_of_image", image, 0.5),
      {"divide", {37}, [](ModelBuilder &model, Value x) { return model.add<party::DivideOp>(x, positive(model, x)); }},
      {"divide_per_channel", image,
       [](ModelBuilder &model, Value x) {
         return model.add<party::DivideOp>(x, positive(model, model.weight({5, 1, 1})));
       }},
      {"divide_weight", image,
       [](ModelBuilder &model, Value x) {
         return model.add<party::DivideOp>(model.weight({3, 1}), positive(model, x));
       }},
      {"sigmoid", {37}, unary<party::SigmoidOp>},
      {"tanh", {37}, unary<party::TanhOp>},
      clipped("relu6_of_image", image, 0, 1.5), // the bounds are scaled to the data
      clipped("clip_below", {37}, -0.5, std::numeric_limits<float>::max()),
      clipped("clip_above", {37}, std::numeric_limits<float>::lowest(), 0.25),
      withWeight("add_same_shape", Operation::add, {7}, {7}),
      withWeight("add_per_channel", Operation::add, image, {5, 1, 1}),
      withWeight("subtract_per_channel", Operation::subtract, image, {5, 1, 1}),
      withWeight("subtract_from_per_channel", Operation::subtract, image, {5, 1, 1}, true),
      withWeight("multiply_per_channel", Operation::multiply, image, {5, 1, 1}),
      withWeight("multiply_per_row", Operation::multiply, image, {3, 1}),
      withWeight("add_scalar", Operation::add, image, {}),
      withWeight("subtract_from_scalar", Operation::subtract, {6}, {1}, true),
      withWeight("multiply_scalar", Operation::multiply, image, {1}),
      bothBroadcast("add_both_broadcast", Operation::add),
      bothBroadcast("subtract_both_broadcast", Operation::subtract),
      bothBroadcast("multiply_both_broadcast", Operation::multiply),
      {"multiply_weights_both_broadcast",
       {5, 4},
       [](ModelBuilder &model, Value x) {
         Value grid = model.add<party::MultiplyOp>(model.weight({5, 1}), model.weight({1, 4}));
         return model.add<party::AddOp>(x, grid);
       }},
      {"gate", image, [](ModelBuilder &model, Value x) { return gated(model, Operation::multiply, x, false); }},
      {"gate_first", image, [](ModelBuilder &model, Value x) { return gated(model, Operation::multiply, x, true); }},
      {"subtract_gate", image,
       [](ModelBuilder &model, Value x) { return gated(model, Operation::subtract, x, false); }},
      {"subtract_from_gate", image,
       [](ModelBuilder &model, Value x) { return gated(model, Operation::subtract, x, true); }},
      {"square", {9}, [](ModelBuilder &model, Value x) { return model.add<party::MultiplyOp>(x, x); }},
      {"twice", {9}, [](ModelBuilder &model, Value x) { return model.add<party::AddOp>(x, x); }},
      {"less_its_relu",
       {9},
       [](ModelBuilder &model, Value x) { return model.add<party::SubtractOp>(x, model.add<party::ReluOp>(x)); }},
      {"scale", {9}, [](ModelBuilder &model, Value x) { return model.add<party::ScaleOp>(x, APFloat(-0.75)); }},
      {"scaled_weight",
       {9},
       [](ModelBuilder &model, Value x) {
         return model.add<party::AddOp>(x, model.add<party::ScaleOp>(model.weight({9}), APFloat(2.5)));
       }},
  };
  return withRandom(std::move(cases), 8, 5, drawBroadcast);
}

INSTANTIATE_TEST_SUITE_P(Elementwise, OpTest, testing::ValuesIn(elementwiseCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(LongElementwise, OpTest, testing::ValuesIn(randomCases(60, 6, drawBroadcast)), CaseName());

} // namespace partyline::ops_test
