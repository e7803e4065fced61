//===- elementwise_cases.cpp - arithmetic with broadcasting ---------------===//
#include "tests/ops/op_case.h"

using namespace mlir;

namespace partyline::ops_test {

/// A function of two operands.
using Binary = Value (*)(ModelBuilder &model, Value lhs, Value rhs);

template <typename Op> static Value binary(ModelBuilder &model, Value lhs, Value rhs) {
  return model.add<Op>(lhs, rhs);
}

// The second operand is positive.
static Value divide(ModelBuilder &model, Value lhs, Value rhs) {
  return model.add<party::DivideOp>(lhs, model.add<party::ExpOp>(rhs));
}

// A chain, as the importer writes it.
static Value maximumOfThree(ModelBuilder &model, Value lhs, Value rhs) {
  Value both = model.add<party::MaximumOp>(lhs, rhs);
  return model.add<party::MaximumOp>(both, model.add<party::ScaleOp>(lhs, APFloat(-0.5)));
}

// A condition that is computed, of operands that have gradients of their own.
template <typename Comparison> static Value selected(ModelBuilder &model, Value lhs, Value rhs) {
  Value condition = model.add<Comparison>(lhs, rhs);
  return model.add<party::WhereOp>(condition, model.add<party::MultiplyOp>(lhs, rhs), lhs);
}

static constexpr Binary add = binary<party::AddOp>, subtract = binary<party::SubtractOp>,
                        multiply = binary<party::MultiplyOp>, maximum = binary<party::MaximumOp>,
                        minimum = binary<party::MinimumOp>, whereGreater = selected<party::GreaterOp>,
                        whereAtLeast = selected<party::GreaterOrEqualOp>, whereEqual = selected<party::EqualOp>;

static OpCase withWeight(std::string name, Binary operation, const Shape &sample, const Shape &weight,
                         bool isWeightFirst = false) {
  return {std::move(name), sample, [=](ModelBuilder &model, Value x) {
            Value w = model.weight(weight);
            return isWeightFirst ? operation(model, w, x) : operation(model, x, w);
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
  constexpr Binary operations[] = {add, subtract, multiply, divide, maximum, minimum, whereGreater};
  return withWeight("", operations[random.integer(0, 6)], sample, weight, random.integer(0, 1));
}

static OpCase withSlope(std::string name, const Shape &sample, const Shape &slope) {
  return withWeight(std::move(name), binary<party::PReluOp>, sample, slope);
}

static OpCase drawPRelu(Random &random) {
  OpCase opCase = withSlope("", {random.integer(1, 20), random.integer(1, 5), random.integer(1, 5)}, {});
  const Shape slopes[] = {{}, {1}, {opCase.sampleShape[0], 1, 1}, opCase.sampleShape};
  return withSlope("", opCase.sampleShape, slopes[random.integer(0, 3)]);
}

// `x` repeated to `sample`, added to something of that shape.
static OpCase repeated(std::string name, const Shape &from, const Shape &sample) {
  return {std::move(name), from, [=](ModelBuilder &model, Value x) {
            Shape shape = sample;
            shape.insert(shape.begin(), ShapedType::kDynamic);
            auto type = RankedTensorType::get(shape, Float32Type::get(&context()));
            return model.scaled(model.add<party::BroadcastToOp>(type, x));
          }};
}

// A gate per channel of the image: both operands come from the sample, one is broadcast.
static OpCase gated(std::string name, Binary operation, bool isGateFirst) {
  return {std::move(name), {5, 3, 4}, [=](ModelBuilder &model, Value x) {
            Value gate = model.add<party::SigmoidOp>(model.add<party::GlobalAveragePoolOp>(model.scaled(x), false));
            return isGateFirst ? operation(model, gate, x) : operation(model, x, gate);
          }};
}

// [5, 1] and [1, 4]: neither has the result's shape.
static OpCase bothBroadcast(std::string name, Binary operation) {
  return withWeight(std::move(name), operation, {1, 4}, {5, 1});
}

std::vector<OpCase> elementwiseCases() {
  const Shape image = {5, 3, 4};
  std::vector<OpCase> cases = {
      withWeight("divide", divide, {37}, {37}),
      withWeight("divide_per_channel", divide, image, {5, 1, 1}),
      withWeight("divide_weight", divide, image, {3, 1}, true),
      withWeight("add_same_shape", add, {7}, {7}),
      withWeight("add_per_channel", add, image, {5, 1, 1}),
      withWeight("subtract_per_channel", subtract, image, {5, 1, 1}),
      withWeight("subtract_from_per_channel", subtract, image, {5, 1, 1}, true),
      withWeight("multiply_per_channel", multiply, image, {5, 1, 1}),
      withWeight("multiply_per_row", multiply, image, {3, 1}),
      withWeight("add_scalar", add, image, {}),
      withWeight("subtract_from_scalar", subtract, {6}, {1}, true),
      withWeight("multiply_scalar", multiply, image, {1}),
      withWeight("maximum", maximum, {37}, {37}),
      withWeight("maximum_per_channel", maximum, image, {5, 1, 1}),
      withWeight("maximum_of_three", maximumOfThree, image, image),
      withWeight("minimum", minimum, image, image),
      withWeight("minimum_of_scalar", minimum, image, {}, true),
      withWeight("where_greater", whereGreater, image, {5, 1, 1}),
      withWeight("where_at_least", whereAtLeast, image, {4}),
      withWeight("where_equal", whereEqual, {9}, {9}),
      withSlope("prelu", {37}, {37}),
      withSlope("prelu_scalar", image, {1}),
      withSlope("prelu_per_channel", image, {5, 1, 1}),
      bothBroadcast("add_both_broadcast", add),
      bothBroadcast("subtract_both_broadcast", subtract),
      bothBroadcast("multiply_both_broadcast", multiply),
      bothBroadcast("maximum_both_broadcast", maximum),
      bothBroadcast("where_both_broadcast", whereGreater),
      gated("gate", multiply, false),
      gated("gate_first", multiply, true),
      gated("subtract_gate", subtract, false),
      gated("subtract_from_gate", subtract, true),
      gated("maximum_of_gate", maximum, false),
      repeated("repeat_rows", {1, 4}, {5, 4}),
      repeated("repeat_columns", {5, 1}, {5, 4}),
      repeated("repeat_channels", {5, 1, 1}, image),
      {"repeat_weight",
       {5, 4},
       [](ModelBuilder &model, Value x) {
         return model.add<party::AddOp>(x, model.add<party::BroadcastToOp>(x.getType(), model.weight({1, 4})));
       }},
      {"where_of_constant", image,
       [](ModelBuilder &model, Value x) {
         Value mask = model.weight({3, 4}, {1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1}, kConstantKind);
         return model.add<party::WhereOp>(mask, x, model.weight({5, 1, 1}));
       }},
      {"multiply_weights_both_broadcast",
       {5, 4},
       [](ModelBuilder &model, Value x) {
         Value grid = model.add<party::MultiplyOp>(model.weight({5, 1}), model.weight({1, 4}));
         return model.add<party::AddOp>(x, grid);
       }},
      {"square", {9}, [](ModelBuilder &model, Value x) { return model.add<party::MultiplyOp>(x, x); }},
      {"twice", {9}, [](ModelBuilder &model, Value x) { return model.add<party::AddOp>(x, x); }},
      {"less_its_relu",
       {9},
       [](ModelBuilder &model, Value x) { return model.add<party::SubtractOp>(x, model.add<party::ReluOp>(x)); }},
      {"scaled_weight",
       {9},
       [](ModelBuilder &model, Value x) {
         return model.add<party::AddOp>(x, model.add<party::ScaleOp>(model.weight({9}), APFloat(2.5)));
       }},
  };
  for (OpCase &opCase : randomCases(3, 20, drawPRelu)) {
    opCase.name = "prelu_" + opCase.name;
    cases.push_back(std::move(opCase));
  }
  return withRandom(std::move(cases), 12, 5, drawBroadcast);
}

INSTANTIATE_TEST_SUITE_P(Elementwise, OpTest, testing::ValuesIn(elementwiseCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(LongElementwise, OpTest, testing::ValuesIn(randomCases(100, 6, drawBroadcast)), CaseName());
INSTANTIATE_TEST_SUITE_P(LongPRelu, OpTest, testing::ValuesIn(randomCases(30, 21, drawPRelu)), CaseName());

} // namespace partyline::ops_test
