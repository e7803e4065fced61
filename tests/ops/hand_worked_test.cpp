//===- hand_worked_test.cpp - numbers worked out on paper -----------------===//
//
// Where finite differences say nothing (ties, kinks), and where a number known beforehand is the better witness.
//
//===----------------------------------------------------------------------===//
#include "tests/ops/checks.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;

namespace partyline::ops_test {
namespace {

std::vector<float> ones(int64_t count) { return std::vector<float>(size_t(count), 1.0f); }

/// One sample, label 0.
Batch sampleOf(const Shape &shape, const std::vector<float> &values) {
  Shape batchShape = shape;
  batchShape.insert(batchShape.begin(), 1);
  return {Tensor(batchShape, values), {0}, {0}};
}

/// The gradient that reaches `values`, a weight of shape [C, H, W] that is added to an input of zeros. Behind it comes
/// `build`, whose result's elements are the scores.
Tensor gradientAt(const Shape &shape, const std::vector<float> &values,
                  const std::function<Value(ModelBuilder &, Value)> &build) {
  ModelBuilder model(shape);
  Value x = model.add<party::AddOp>(model.input(), model.weight(shape, values)); // w0
  const Model finished = model.finish(model.flattened(build(model, x)));
  CompiledStep step(finished, 1);
  step.forwardBackward(sampleOf(shape, std::vector<float>(values.size(), 0.0f)), 1);
  return step.gradients().at("w0");
}

Value maxPool2(ModelBuilder &model, Value x) {
  return model.add<party::MaxPoolOp>(x, Shape{2, 2}, Shape{1, 1}, Shape{0, 0, 0, 0}, Shape{1, 1}, false, false);
}

// Four equal maxima, so four equal scores: the gradients of the scores are 1/4, and 1/4 - 1 for the label's. The first
// of a window's equal elements, in row-major order, takes all of its gradient.
TEST(HandWorked, FirstOfEqualMaximaTakesTheGradient) {
  expectClose("the gradient", gradientAt({1, 3, 3}, ones(9), maxPool2),
              Tensor({1, 3, 3}, {-0.75, 0.25, 0, 0.25, 0.25, 0, 0, 0, 0}), 1e-6);
  // The centre is the maximum of all windows: the gradients add up, to 0.
  expectClose("the gradient", gradientAt({1, 3, 3}, {0, 0, 0, 0, 1, 0, 0, 0, 0}, maxPool2), Tensor({1, 3, 3}), 1e-6);
  // 1 1 0   Windows: top left takes (0,0), top right (0,1), bottom left (1,0), bottom right (2,2).
  // 1 0 0
  // 0 0 1
  expectClose("the gradient", gradientAt({1, 3, 3}, {1, 1, 0, 1, 0, 0, 0, 0, 1}, maxPool2),
              Tensor({1, 3, 3}, {-0.75, 0.25, 0, 0.25, 0, 0, 0, 0, 0.25}), 1e-6);
}

// In every of many channels, whose tie is elsewhere: channel c has its two equal maxima at c % 3 and 3. All scores
// are 1.
TEST(HandWorked, TiesOfManyChannels) {
  constexpr int64_t kChannels = 21;
  std::vector<float> values(kChannels * 4, 0.0f), gradient(kChannels * 4, 0.0f);
  for (int64_t c = 0; c < kChannels; ++c) {
    values[size_t(4 * c + c % 3)] = values[size_t(4 * c + 3)] = 1;
    gradient[size_t(4 * c + c % 3)] = 1.0f / kChannels - (c == 0 ? 1.0f : 0.0f);
  }
  expectClose("the gradient", gradientAt({kChannels, 2, 2}, values, maxPool2), Tensor({kChannels, 2, 2}, gradient),
              1e-6);
}

// max(x, 0) has the gradient 0 at 0. All scores are 0.
TEST(HandWorked, ReluAtZero) {
  auto relu = [](ModelBuilder &model, Value x) { return model.add<party::ReluOp>(x); };
  expectClose("the gradient", gradientAt({4}, {0, -1, 0, -2}, relu), Tensor({4}, std::vector<float>(4, 0.0f)), 1e-6);
}

// Two equal operands have half of the gradient each, as in PyTorch. The scores are max(x, 1) of x = 1, 2, 0; the
// gradient of score c is its probability, less 1 for the label, 0.
TEST(HandWorked, EqualOperandsOfMaximumShareTheGradient) {
  const double e = std::exp(1.0), sum = 2 * e + e * e;
  auto maximum = [](ModelBuilder &model, Value x) {
    return model.add<party::MaximumOp>(x, model.weight({3}, ones(3)));
  };
  expectClose("the gradient", gradientAt({3}, {1, 2, 0}, maximum),
              Tensor({3}, {float(0.5 * (e / sum - 1)), float(e * e / sum), 0}), 1e-6);
  // min(x, 1): scores 1, 1, 0.
  const double less = 2 * e + 1;
  auto minimum = [](ModelBuilder &model, Value x) {
    return model.add<party::MinimumOp>(x, model.weight({3}, ones(3)));
  };
  expectClose("the gradient", gradientAt({3}, {1, 2, 0}, minimum),
              Tensor({3}, {float(0.5 * (e / less - 1)), 0, float(1 / less)}), 1e-6);
}

// At the kinks: |x| has the gradient 0 at 0, PRelu its slope, both as PyTorch; hard_swish 0 at -3 and 1 at 3.
TEST(HandWorked, Kinks) {
  auto absolute = [](ModelBuilder &model, Value x) { return model.add<party::AbsOp>(x); };
  expectClose("the gradient", gradientAt({2}, {0, 0}, absolute), Tensor({2}, std::vector<float>(2, 0.0f)), 1e-6);
  // Scores 0 and 3: the label's probability is 1 / (1 + e^3), the other's p.
  const auto p = float(1 / (1 + std::exp(-3.0)));
  auto hardSwish = [](ModelBuilder &model, Value x) { return model.add<party::HardSwishOp>(x); };
  expectClose("the gradient", gradientAt({2}, {-3, 3}, hardSwish), Tensor({2}, {0, p}), 1e-6);
  // Scores 0 and 0.
  auto prelu = [](ModelBuilder &model, Value x) {
    return model.add<party::PReluOp>(x, model.weight({1}, std::vector<float>{0.25f}));
  };
  expectClose("the gradient", gradientAt({2}, {0, 0}, prelu), Tensor({2}, {-0.125f, 0.125f}), 1e-6);
}

// Scores 0 and 0 of three rows, labels 0, ignored and 1, class weights 1 and 3: the rows' losses are log 2, 0 and 3 log
// 2; a mean divides by 4, the weights of the kept, so the gradients are (-1/2, 1/2) / 4, 0 and 3 (1/2, -1/2) / 4.
TEST(HandWorked, IgnoredLabelsHaveNoLossAndNoGradient) {
  ModelBuilder model({3, 2});
  OpBuilder attributes(&context());
  Value scores = model.add<party::AddOp>(model.input(), model.weight({3, 2}, std::vector<float>(6, 0.0f))); // w0
  Value weights = model.weight({2}, std::vector<float>{1, 3}, kConstantKind);
  const Model finished = model.finish(
      model.add<party::CrossEntropyOp>(scores, model.labels({3}), weights, attributes.getF64FloatAttr(0),
                                       attributes.getI64IntegerAttr(-100), attributes.getStringAttr("mean")));
  CompiledStep step(finished, 1);
  Batch batch = sampleOf({3, 2}, std::vector<float>(6, 0.0f));
  batch.labels = {0, -100, 1};
  const Answers answers = step.forwardBackward(batch, 0.25f);
  const auto log2 = float(std::log(2.0));
  expectClose("the losses", answers.losses, Tensor({1, 3}, {log2, 0, 3 * log2}), 1e-6);
  expectClose("the gradient", step.gradients().at("w0"), Tensor({3, 2}, {-0.125f, 0.125f, 0, 0, 0.375f, -0.375f}),
              1e-6);
}

// 6x6 ones, 3x3 kernel, stride 2, pad 1. The nine outputs are summed up per channel with gradient 1 each, so the
// gradient at (ky, kx) counts the outputs whose element (ky, kx) lies inside the image: two of three in the first row
// and column.
TEST(HandWorked, DepthwiseStride2WeightGradient) {
  constexpr int64_t kChannels = 24;
  ModelBuilder model({kChannels, 6, 6});
  Value weight = model.weight({kChannels, 1, 3, 3}, std::vector<float>(kChannels * 9, 0.0f)); // w0
  Value y = model.add<party::ConvOp>(model.input(), weight, Value(), Shape{2, 2}, Shape{1, 1, 1, 1}, Shape{1, 1},
                                     uint64_t(kChannels), false);
  // Two scores: minus the sum of all means, and 0. With all of them 0 the loss's gradient of the label's is -1/2.
  Value means = model.flattened(model.add<party::GlobalAveragePoolOp>(y, false));
  std::vector<float> columns;
  for (int64_t c = 0; c < kChannels; ++c)
    columns.insert(columns.end(), {-1, 0});
  const Model finished =
      model.finish(model.add<party::MatmulOp>(means, model.weight({kChannels, 2}, columns), Value()));
  CompiledStep step(finished, 1);
  step.forwardBackward(sampleOf({kChannels, 6, 6}, ones(kChannels * 36)), /*scale=*/18);
  std::vector<float> expected;
  for (int64_t c = 0; c < kChannels; ++c)
    expected.insert(expected.end(), {4, 6, 6, 6, 9, 9, 6, 9, 9});
  expectClose("the gradient", step.gradients().at("w0"), Tensor({kChannels, 1, 3, 3}, expected), 1e-6);
}

// Ones in 4x4, pad 1, kernel 3, stride 2, ceil_mode: windows begin at -1, 1 and 3. Along an axis they have 2, 3 and 1
// elements in the image, and 3, 3 and 2 in the padded image; the last reaches beyond that, which never counts.
TEST(HandWorked, AveragePoolCountsPadding) {
  for (bool includesPad : {false, true}) {
    ModelBuilder model({1, 4, 4});
    Value x = model.scaled(model.input());
    Value y = model.add<party::AveragePoolOp>(x, Shape{3, 3}, Shape{2, 2}, Shape{1, 1, 1, 1}, includesPad, true, false);
    Model finished = model.finish(model.flattened(y));
    finished.weights.at("w0") = Tensor({1, 4, 4}, ones(16));
    CompiledStep step(finished, 1);
    const float axis[] = {includesPad ? 2 / 3.0f : 1.0f, 1.0f, includesPad ? 0.5f : 1.0f};
    std::vector<float> expected;
    for (float row : axis)
      for (float column : axis)
        expected.push_back(row * column);
    expectClose("the means", step.forwardBackward(sampleOf({1, 4, 4}, ones(16)), 1).logits, Tensor({1, 9}, expected),
                1e-6);
  }
}

/// BatchNorm of one channel with momentum 0.9, running mean 0 (w2) and running variance 1 (w3).
Model runningStatistics(const Shape &shape, const std::string &batchNorm) {
  ModelBuilder model(shape);
  OpBuilder attributes(&context());
  Value scale = model.weight({1}, ones(1)), bias = model.weight({1}, std::vector<float>{0});
  Value mean = model.weight({1}, std::vector<float>{0}, kStateKind), variance = model.weight({1}, ones(1), kStateKind);
  Value y = model.add<party::BatchNormOp>(model.input(), scale, bias, mean, variance, attributes.getF64FloatAttr(1e-5),
                                          attributes.getF64FloatAttr(0.9), UnitAttr());
  Model finished = model.finish(model.flattened(y));
  finished.training.batchNorm = batchNorm;
  return finished;
}

void expectRunning(const CompiledStep &step, float mean, float variance) {
  expectClose("the mean", step.weights().at("w2"), Tensor({1}, std::vector<float>{mean}), 1e-6);
  expectClose("the variance", step.weights().at("w3"), Tensor({1}, std::vector<float>{variance}), 1e-6);
}

// 1, 2, 3, 4: mean 2.5, population variance 5/4, unbiased 5/3. With momentum 0.9 the running mean goes from 0 to 0.25
// and the running variance from 1 to 0.9 + 0.125 = 1.025, by PyTorch's rule to 0.9 + 1/6; where two micro-batches make
// one step, by the mean of their statistics: 3.75, and 5/8 or 5/6.
TEST(HandWorked, RunningStatistics) {
  const Batch first = sampleOf({1, 2, 2}, {1, 2, 3, 4}), second = sampleOf({1, 2, 2}, {5, 5, 5, 5});
  for (bool isTorch : {false, true}) {
    const Model model = runningStatistics({1, 2, 2}, isTorch ? "torch" : "train");
    CompiledStep step(model, 1);
    step.forwardBackward(first, 1);
    step.update(0);
    expectRunning(step, 0.25f, isTorch ? 0.9f + 1 / 6.0f : 1.025f);

    CompiledStep twice(model, 1);
    twice.forwardBackward(first, 0.5f);
    twice.forwardBackward(second, 0.5f, /*accumulate=*/true);
    twice.update(0);
    expectRunning(twice, 0.375f, isTorch ? 0.9f + 1 / 12.0f : 0.9625f);
  }
}

// Two samples of two pixels are four values as well. One value alone has variance 0, also where n - 1 is 0.
TEST(HandWorked, UnbiasedVarianceOfTheMicroBatch) {
  const Model pixels = runningStatistics({1, 1, 2}, "torch");
  CompiledStep step(pixels, 2);
  step.forwardBackward({Tensor({2, 1, 1, 2}, {1, 2, 3, 4}), {0, 0}, {0, 1}}, 0.5f);
  step.update(0);
  expectRunning(step, 0.25f, 0.9f + 1 / 6.0f);

  const Model pixel = runningStatistics({1, 1, 1}, "torch");
  CompiledStep one(pixel, 1);
  one.forwardBackward(sampleOf({1, 1, 1}, {3}), 1);
  one.update(0);
  expectRunning(one, 0.3f, 0.9f);
}

// Frozen statistics, mean 0 and variance 1, are those of the normalisation, and stay.
TEST(HandWorked, FrozenStatistics) {
  const Model model = runningStatistics({1, 2, 2}, "frozen");
  CompiledStep step(model, 1);
  const auto scale = float(1 / std::sqrt(1 + 1e-5));
  expectClose("the scores", step.forwardBackward(sampleOf({1, 2, 2}, {1, 2, 3, 4}), 1).logits,
              Tensor({1, 4}, {scale, 2 * scale, 3 * scale, 4 * scale}), 1e-6);
  step.update(0.5f);
  expectRunning(step, 0, 1);
  EXPECT_NE(step.weights().at("w0")[0], 1); // the scale trains
  EXPECT_EQ(step.gradients().count("w2"), 0u);
}

// The score of the one class is always right, so there is no gradient, and weight decay alone moves the weight. With
// learning rate 1, momentum 0.5 and decay 0.25, from 8: the buffer is 2, the weight 6; then 0.5 * 2 + 1.5 = 2.5,
// and 3.5.
TEST(HandWorked, MomentumAndWeightDecay) {
  ModelBuilder model({1});
  Model finished = model.finish(model.add<party::MultiplyOp>(model.input(), model.weight({1}, std::vector<float>{8})));
  finished.training.momentum = 0.5;
  finished.training.weightDecay = 0.25;
  CompiledStep step(finished, 1);
  for (float expected : {6.0f, 3.5f}) {
    step.forwardBackward(sampleOf({1}, {1}), 1);
    step.update(1);
    expectClose("the weight", step.weights().at("w0"), Tensor({1}, std::vector<float>{expected}), 1e-6);
  }
}

} // namespace
} // namespace partyline::ops_test
