//===- loss_cases.cpp - losses and what they make of the output -----------===//
#include "tests/ops/op_case.h"

using namespace mlir;

namespace partyline::ops_test {

static OpCase loss(const std::string &name, const std::string &loss, const Shape &shape, float scale = 1) {
  OpCase result{name, shape, nullptr, true};
  result.build = [scale](ModelBuilder &model, Value x) { return model.add<party::ScaleOp>(x, APFloat(double(scale))); };
  result.training.loss = loss;
  return result;
}

static OpCase smoothed(const std::string &name, int64_t classes, double labelSmoothing, float scale = 1) {
  OpCase result = loss(name, "cross_entropy", {classes}, scale);
  result.training.labelSmoothing = labelSmoothing;
  return result;
}

/// Binary cross-entropy of probabilities, which far apart are 0 and 1 in f32.
static OpCase probabilities(const std::string &name, float scale) {
  OpCase result = loss(name, "bce", {9});
  result.build = [scale](ModelBuilder &model, Value x) {
    return model.add<party::SigmoidOp>(model.add<party::ScaleOp>(x, APFloat(double(scale))));
  };
  return result;
}

static OpCase drawLoss(Random &random) {
  Shape shape;
  for (int64_t rank = random.integer(1, 3); rank > 0; --rank)
    shape.push_back(random.integer(1, rank == 1 ? 70 : 9));
  return loss("", random.integer(0, 1) ? "mse" : "bce", shape, random.real(0.5, 4));
}

std::vector<OpCase> lossCases() {
  std::vector<OpCase> cases = {
      loss("mse", "mse", {7}),
      loss("mse_of_one", "mse", {1}),
      loss("mse_of_images", "mse", {3, 5, 6}),
      loss("mse_of_many", "mse", {4099}),
      loss("bce", "bce", {7}),
      loss("bce_of_one", "bce", {1}),
      loss("bce_of_images", "bce", {2, 5, 3}),
      loss("bce_far_apart", "bce", {33}, 200),
      probabilities("bce_of_probabilities", 1),
      probabilities("bce_of_probabilities_far_apart", 200),
      smoothed("smoothed", 10, 0.1),
      smoothed("smoothed_far_apart", 10, 0.1, 200),
      smoothed("smoothed_many_classes", 1000, 0.2),
      smoothed("smoothed_to_the_last", 5, 1),
  };
  return withRandom(std::move(cases), 3, 41, drawLoss);
}

INSTANTIATE_TEST_SUITE_P(Loss, OpTest, testing::ValuesIn(lossCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(LongLoss, OpTest, testing::ValuesIn(randomCases(30, 42, drawLoss)), CaseName());

} // namespace partyline::ops_test
