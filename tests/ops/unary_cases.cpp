//===- unary_cases.cpp - functions of one operand -------------------------===//
#include "tests/ops/op_case.h"

#include <limits>

using namespace mlir;

namespace partyline::ops_test {

namespace {

/// What the function is applied to: numbers of either sign up to about 4.5, or positive ones from 0.2 to 4.5.
enum class Domain { all, positive };

/// A function of the dialect, whose attributes `add` draws.
struct Function {
  const char *name;
  Domain domain;
  Value (*add)(ModelBuilder &model, Value x, Random &attributes);
};

} // namespace

static Value operand(ModelBuilder &model, Value x, Domain domain) {
  return domain == Domain::all ? model.add<party::ScaleOp>(x, APFloat(3.0)) : model.add<party::ExpOp>(x);
}

template <typename Op, typename... Numbers>
static OpCase with(std::string name, const Shape &sample, Domain domain, Numbers... attributes) {
  return {std::move(name), sample, [=](ModelBuilder &model, Value x) {
            return model.add<Op>(operand(model, x, domain), APFloat(double(attributes))...);
          }};
}

template <typename Op> static Value plain(ModelBuilder &model, Value x, Random &) { return model.add<Op>(x); }

static const Function functions[] = {
    {"abs", Domain::all, plain<party::AbsOp>},
    {"erf", Domain::all, plain<party::ErfOp>},
    {"exp", Domain::all, plain<party::ExpOp>},
    {"gelu", Domain::all, plain<party::GeluOp>},
    {"gelu_tanh", Domain::all, plain<party::GeluTanhOp>},
    {"hard_sigmoid", Domain::all,
     [](ModelBuilder &model, Value x, Random &random) {
       return model.add<party::HardSigmoidOp>(x, APFloat(double(random.real(-0.4, 0.4))),
                                              APFloat(double(random.real(0.2, 0.8))));
     }},
    {"hard_swish", Domain::all, plain<party::HardSwishOp>},
    {"log", Domain::positive, plain<party::LogOp>},
    {"mish", Domain::all, plain<party::MishOp>},
    {"power", Domain::positive,
     [](ModelBuilder &model, Value x, Random &random) {
       return model.add<party::PowerOp>(x, APFloat(double(random.real(-3, 3))));
     }},
    {"power_of_quarters", Domain::positive,
     [](ModelBuilder &model, Value x, Random &random) {
       return model.add<party::PowerOp>(x, APFloat(double(random.integer(-12, 12)) / 4));
     }},
    {"reciprocal", Domain::positive, plain<party::ReciprocalOp>},
    {"relu", Domain::all, plain<party::ReluOp>},
    {"selu", Domain::all,
     [](ModelBuilder &model, Value x, Random &random) {
       return model.add<party::SeluOp>(x, APFloat(double(random.real(0, 2))), APFloat(double(random.real(0.5, 2))));
     }},
    {"sigmoid", Domain::all, plain<party::SigmoidOp>},
    {"softplus", Domain::all, plain<party::SoftplusOp>},
    {"softsign", Domain::all, plain<party::SoftsignOp>},
    {"sqrt", Domain::positive, plain<party::SqrtOp>},
    {"tanh", Domain::all, plain<party::TanhOp>},
    {"thresholded_relu", Domain::all,
     [](ModelBuilder &model, Value x, Random &random) {
       return model.add<party::ThresholdedReluOp>(x, APFloat(double(random.real(-1, 1))));
     }},
};

static OpCase applied(std::string name, const Shape &sample, const Function &function, uint64_t seed) {
  return {std::move(name), sample, [=](ModelBuilder &model, Value x) {
            Random attributes(seed);
            return function.add(model, operand(model, x, function.domain), attributes);
          }};
}

static OpCase drawUnary(Random &random) {
  Shape sample;
  for (int64_t rank = random.integer(1, 4); rank > 0; --rank)
    sample.push_back(random.integer(1, 6));
  const Function &function = functions[random.integer(0, int64_t(std::size(functions)) - 1)];
  return applied("", sample, function, uint64_t(random.integer(0, 1 << 20)));
}

std::vector<OpCase> unaryCases() {
  const Shape image = {5, 3, 4};
  std::vector<OpCase> cases;
  for (const Function &function : functions)
    cases.push_back(applied(function.name, {37}, function, 1));
  const std::vector<OpCase> others = {
      with<party::ReluOp>("relu_of_image", image, Domain::all),
      with<party::GeluOp>("gelu_of_image", image, Domain::all),
      with<party::LeakyReluOp>("leaky_relu", {37}, Domain::all, 0.125),
      with<party::LeakyReluOp>("leaky_relu_of_image", image, Domain::all, 0),
      with<party::EluOp>("elu", {37}, Domain::all, 1),
      with<party::EluOp>("elu_of_image", image, Domain::all, 0.5),
      with<party::ClipOp>("relu6_of_image", image, Domain::all, 0, 1.5), // the bounds are scaled to the data
      with<party::ClipOp>("clip_below", {37}, Domain::all, -0.5, std::numeric_limits<float>::max()),
      with<party::ClipOp>("clip_above", {37}, Domain::all, std::numeric_limits<float>::lowest(), 0.25),
      with<party::PowerOp>("square_of_image", image, Domain::all, 2),
      with<party::PowerOp>("third_power", {37}, Domain::all, 3),
      with<party::PowerOp>("eleventh_power", {37}, Domain::all, 11), // not by multiplications
      with<party::PowerOp>("twelfth_power", {37}, Domain::all, 12),
      with<party::PowerOp>("power_0", {37}, Domain::all, 0),
      with<party::PowerOp>("power_of_local_response_normalization", image, Domain::positive, 0.75),
      with<party::PowerOp>("inverse_root", image, Domain::positive, -0.5),
      with<party::ScaleOp>("scale", {9}, Domain::all, -0.75),
  };
  cases.insert(cases.end(), others.begin(), others.end());
  return withRandom(std::move(cases), 6, 18, drawUnary);
}

INSTANTIATE_TEST_SUITE_P(Unary, OpTest, testing::ValuesIn(unaryCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(LongUnary, OpTest, testing::ValuesIn(randomCases(60, 19, drawUnary)), CaseName());

} // namespace partyline::ops_test
