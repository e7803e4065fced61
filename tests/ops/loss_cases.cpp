//===- loss_cases.cpp - losses and what they make of the output -----------===//
#include "tests/ops/op_case.h"

#include "ir/op_helpers.h"

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

/// A loss in the model: of scores of this shape with the classes first, as in ONNX.
struct OwnLoss {
  bool ofLogarithms = false; ///< negative_log_likelihood of log_softmax
  bool weighted = false;
  std::optional<int64_t> ignoreIndex = std::nullopt;
};

static OpCase own(const std::string &name, const Shape &shape, const OwnLoss &loss, float scale = 1) {
  OpCase result{name, shape, nullptr};
  result.build = [=](ModelBuilder &model, Value x) {
    Value scores = model.add<party::ScaleOp>(x, APFloat(double(scale)));
    if (const SmallVector<int64_t> last = toChannelsLast(int64_t(shape.size()) + 1); !last.empty())
      scores = model.add<party::TransposeOp>(scores, last);
    Value labels = model.labels({shape.begin() + 1, shape.end()});
    Value weights = loss.weighted ? model.weight({shape[0]}, 0.25, 4, kConstantKind) : Value();
    OpBuilder builder(&context());
    IntegerAttr ignored = loss.ignoreIndex ? builder.getI64IntegerAttr(*loss.ignoreIndex) : IntegerAttr();
    StringAttr mean = builder.getStringAttr("mean");
    if (loss.ofLogarithms)
      return model.add<party::NegativeLogLikelihoodOp>(model.add<party::LogSoftmaxOp>(scores), labels, weights, ignored,
                                                       mean);
    return model.add<party::CrossEntropyOp>(scores, labels, weights, builder.getF64FloatAttr(0), ignored, mean);
  };
  return result;
}

static OpCase drawOwn(Random &random) {
  Shape shape = {random.integer(2, 40)};
  for (int64_t rank = random.integer(0, 2); rank > 0; --rank)
    shape.push_back(random.integer(1, 6));
  OwnLoss loss{random.integer(0, 1) > 0, random.integer(0, 1) > 0, {}};
  if (random.integer(0, 1))
    loss.ignoreIndex = random.integer(-1, shape[0]);
  return own("", shape, loss, random.real(0.5, 4));
}

static OpCase drawLoss(Random &random) {
  if (random.integer(0, 1))
    return drawOwn(random);
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
      own("own", {10}, {}),
      own("own_weighted", {10}, {false, true}),
      own("own_ignoring_a_class", {5}, {false, false, 2}),
      own("own_ignoring_no_class", {5}, {false, true, -100}),
      own("own_far_apart", {10}, {false, true, 3}, 200),
      own("own_of_rows", {7, 5}, {false, true, 255}),
      own("own_of_images", {3, 4, 6}, {false, true, -1}),
      own("logarithms", {10}, {true}),
      own("logarithms_weighted", {1000}, {true, true, 0}),
      own("logarithms_of_images", {6, 3, 5}, {true, true, -1}),
  };
  return withRandom(std::move(cases), 6, 41, drawLoss);
}

INSTANTIATE_TEST_SUITE_P(Loss, OpTest, testing::ValuesIn(lossCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(LongLoss, OpTest, testing::ValuesIn(randomCases(30, 42, drawLoss)), CaseName());

} // namespace partyline::ops_test
