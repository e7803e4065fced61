//===- dropout_test.cpp - Dropout: its masks, read off what it lets through ===//
#include "tests/ops/checks.h"
#include "tests/ops/op_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace partyline::ops_test {
namespace {

constexpr double kRatio = 0.25;
constexpr int64_t kSamples = 4;

/// The output is dropout's result: convolution, bias, dropout, flatten.
Model dropoutModel(int64_t layer) {
  ModelBuilder model({3, 4, 5});
  OpBuilder attributes(&context());
  Value y = model.add<party::AddOp>(conv3x3(model, model.scaled(model.input()), model.weight({4, 3, 3, 3})),
                                    model.weight({4, 1, 1}, 1, 2));
  Value dropped = model.add<party::DropoutOp>(y, model.sampleIds(), attributes.getF64FloatAttr(kRatio),
                                              attributes.getI64IntegerAttr(layer));
  return model.finish(model.flattened(dropped));
}

ReferenceAnswers withoutDropout(const Model &model, const Batch &batch) {
  ReferenceRun run{model.weights, batch, /*isTraining=*/false, {}};
  return interpret(model, run);
}

/// What the step multiplied every element by: 0, or what keeps the mean. Elements are those of the output.
Tensor maskOf(CompiledStep &step, const Model &model, const Batch &batch) {
  const Tensor dropped = step.forwardBackward(batch, 1.0f / float(batch.size())).logits;
  const Tensor whole = withoutDropout(model, batch).output;
  Tensor mask(whole.shape);
  for (int64_t i = 0; i < mask.size(); ++i)
    mask[i] = dropped[i] == 0 ? 0 : 1 / (1 - kRatio);
  Tensor expected = whole;
  for (int64_t i = 0; i < mask.size(); ++i)
    expected[i] *= mask[i];
  expectClose("the output", dropped, expected, 1e-5);
  return mask;
}

TEST(Dropout, DropsItsShareAndTheSameFromTheGradient) {
  const Model model = dropoutModel(0);
  CompiledStep step(model, kSamples);
  const Batch batch = batchFor(model, kSamples);
  Tensor mask = maskOf(step, model, batch);
  const double dropped = double(std::count(mask.data.begin(), mask.data.end(), 0.0)) / double(mask.size());
  const double deviation = std::sqrt(kRatio * (1 - kRatio) / double(mask.size()));
  EXPECT_NEAR(dropped, kRatio, 4 * deviation);
  mask.shape = {kSamples, 4, 4, 5};
  expectGradients(step, model, batch, {{0, mask}});
}

TEST(Dropout, MaskBelongsToSampleLayerAndStep) {
  const Model model = dropoutModel(0), other = dropoutModel(1);
  CompiledStep step(model, kSamples), otherStep(other, kSamples);
  const Batch batch = batchFor(model, kSamples);
  const Tensor mask = maskOf(step, model, batch);
  const int64_t elements = mask.size() / kSamples;
  for (int64_t i = 0; i < kSamples; ++i) {
    const Tensor alone = maskOf(step, model, slice(batch, i, 1));
    EXPECT_TRUE(std::equal(alone.data.begin(), alone.data.end(), mask.data.begin() + i * elements)) << i;
    for (int64_t j = 0; j < i; ++j)
      EXPECT_FALSE(std::equal(alone.data.begin(), alone.data.end(), mask.data.begin() + j * elements)) << i << ' ' << j;
  }
  EXPECT_NE(maskOf(otherStep, other, batch).data, mask.data);
  step.stepNumber += 1;
  EXPECT_NE(maskOf(step, model, batch).data, mask.data);
}

TEST(Dropout, EvaluatesWithoutDropping) {
  const Model model = dropoutModel(0);
  CompiledStep step(model, kSamples);
  const Batch batch = batchFor(model, kSamples);
  const Answers answers = step.evaluate(batch);
  expectClose("the evaluated output", answers.logits, withoutDropout(model, batch).output, 1e-5);
  expectClose("the evaluated loss", answers.losses, withoutDropout(model, batch).losses, 1e-5);
}

} // namespace
} // namespace partyline::ops_test
