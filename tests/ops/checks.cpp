//===- checks.cpp ---------------------------------------------------------===//
#include "tests/ops/checks.h"

#include "tests/ops/random.h"

#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace partyline::ops_test {

// Float kernels differ from the reference by some units in the last place, of sums that cancel by more.
static constexpr double kForwardTolerance = 5e-6, kGradientTolerance = 1e-5;

// Labels for a loss that the model brings: where one is ignored, a third of them.
static void drawLabels(party::LossOpInterface loss, Batch &batch) {
  Random random(3);
  const auto ignored = loss.getLossReduction().ignoreIndex;
  const Shape labels = sampleShapeOf(loss->getOperand(1));
  const int64_t classes = sampleShapeOf(loss->getOperand(0)).back();
  batch.labels.resize(size_t(batch.size() * product(labels)));
  for (size_t i = 0; i < batch.labels.size(); ++i)
    batch.labels[i] = int32_t(ignored && i % 3 == 1 ? *ignored : random.integer(0, classes - 1));
}

Batch batchFor(const Model &model, int64_t samples) {
  func::FuncOp function = model.function();
  Value output = function.getBody().front().getTerminator()->getOperands().back();
  Shape outputShape = sampleShapeOf(output);
  Batch batch = randomBatch(samples, sampleShapeOf(function.getArgument(0)), product(outputShape), 1);
  if (party::LossOpInterface loss = lossOf(function))
    drawLabels(loss, batch);
  if (model.training.loss == "cross_entropy")
    return batch;
  Random random(2);
  outputShape.insert(outputShape.begin(), samples);
  batch.targets = Tensor(outputShape);
  for (double &target : batch.targets.data)
    target = random.real(0, 1);
  return batch;
}

void expectClose(const std::string &name, const Tensor &actual, const Tensor &expected, double tolerance) {
  ASSERT_EQ(actual.shape, expected.shape) << name;
  double largest = 0;
  for (double value : expected.data)
    largest = std::max(largest, std::abs(value));
  // Where the exact value is 0, what is left are the last places of terms below 1 that cancel.
  const double limit = tolerance * largest + 2e-7;
  int64_t wrong = 0;
  for (int64_t i = 0; i < expected.size(); ++i)
    if (!(std::abs(actual[i] - expected[i]) <= limit) && ++wrong <= 5)
      ADD_FAILURE() << name << '[' << i << "] of " << testing::PrintToString(expected.shape) << " is " << actual[i]
                    << ", must be " << expected[i] << " +- " << limit;
  EXPECT_EQ(wrong, 0) << "elements of " << name;
}

// The mean over samples, whatever the model divides by: that is the worker's, and so is `scale` of the compiled step.
static double meanLoss(const Model &model, const std::map<std::string, Tensor> &weights, const Batch &batch,
                       const std::map<int64_t, Tensor> &masks) {
  ReferenceRun run{weights, batch, /*isTraining=*/true, masks};
  const Tensor losses = interpret(model, run).losses;
  return std::accumulate(losses.data.begin(), losses.data.end(), 0.0) / double(batch.size());
}

void expectGradients(const CompiledStep &step, const Model &model, const Batch &batch,
                     const std::map<int64_t, Tensor> &dropoutMasks) {
  constexpr double kStep = 1e-5;
  constexpr int64_t kAllOf = 256, kSomeOf = 64; // elements
  std::map<std::string, Tensor> weights = model.weights;
  // The derivative of the mean loss where `move` moves the weights by its argument.
  auto derivative = [&](const std::function<void(double)> &move) {
    move(kStep);
    const double above = meanLoss(model, weights, batch, dropoutMasks);
    move(-kStep);
    const double below = meanLoss(model, weights, batch, dropoutMasks);
    move(0);
    return (above - below) / (2 * kStep);
  };
  for (const auto &[name, gradient] : step.gradients()) {
    if (step.kindOf(name) != TensorKind::parameter)
      continue;
    Tensor &weight = weights.at(name);
    const Tensor original = weight;
    ASSERT_EQ(gradient.shape, original.shape) << name;
    Random random(17);
    const bool isLarge = gradient.size() > kAllOf;
    const int64_t checked = isLarge ? kSomeOf : gradient.size();
    Tensor actual({checked}), expected({checked});
    for (int64_t i = 0; i < checked; ++i) {
      const int64_t element = isLarge ? random.integer(0, gradient.size() - 1) : i;
      actual[i] = gradient[element];
      expected[i] = derivative([&](double by) { weight[element] = original[element] + by; });
    }
    expectClose((isLarge ? "some elements of the gradient of " : "the gradient of ") + name, actual, expected,
                kGradientTolerance);
    if (!isLarge)
      continue;
    Tensor direction(original.shape), along({1}), reference({1});
    for (double &value : direction.data)
      value = random.real(-1, 1);
    along[0] = std::inner_product(gradient.data.begin(), gradient.data.end(), direction.data.begin(), 0.0);
    reference[0] = derivative([&](double by) {
      for (int64_t i = 0; i < weight.size(); ++i)
        weight[i] = original[i] + by * direction[i];
    });
    expectClose("the derivative along a direction of " + name, along, reference, 10 * kGradientTolerance);
  }
}

// Every parameter that the module trains has a gradient of its own.
static void expectAllTrained(const CompiledStep &step, const Model &model) {
  const auto gradients = step.gradients();
  model.function().walk([&](party::ParameterOp parameter) {
    const bool isFrozen = parameter.getKind() == kStateKind && model.training.batchNorm == "frozen";
    EXPECT_EQ(gradients.count(parameter.getName().str()), parameter.getKind() != kConstantKind && !isFrozen ? 1u : 0u)
        << parameter.getName().str();
  });
}

static bool hasBatchStatistics(const Model &model) {
  return model.training.batchNorm != "frozen" && !model.function().getOps<party::BatchNormOp>().empty();
}

// Runs a micro-batch of a step of so many samples, and compares what the network says and the running statistics.
static void expectForward(CompiledStep &step, const Model &model, const Batch &batch, int64_t samples) {
  const Answers answers = step.forwardBackward(batch, 1.0f / float(samples));
  ReferenceRun run{model.weights, batch, /*isTraining=*/true};
  const ReferenceAnswers reference = interpret(model, run);
  expectClose("the output", answers.logits, reference.output, kForwardTolerance);
  expectClose("the loss", answers.losses, reference.losses, kForwardTolerance);
  const auto gradients = step.gradients();
  for (auto &[name, statistic] : run.statistics) {
    for (double &value : statistic.data)
      value *= double(batch.size()) / double(samples);
    expectClose("the statistic of " + name, gradients.at(name), statistic, kForwardTolerance);
  }
}

static void expectAccumulation(CompiledStep &step, const Model &model, const Batch &batch) {
  const int64_t samples = batch.size(), rest = (samples + 3) / 4;
  const Batch parts[] = {slice(batch, 0, samples - rest), slice(batch, samples - rest, rest)};
  const auto whole = step.gradients();
  std::map<std::string, Tensor> partGradients[2];
  for (int i : {0, 1}) {
    SCOPED_TRACE("a micro-batch of " + std::to_string(parts[i].size()));
    expectForward(step, model, parts[i], samples);
    partGradients[i] = step.gradients();
  }
  for (int i : {0, 1})
    step.forwardBackward(parts[i], 1.0f / float(samples), /*accumulate=*/i > 0);
  for (const auto &[name, gradient] : step.gradients()) {
    Tensor sum = partGradients[0].at(name);
    for (int64_t i = 0; i < sum.size(); ++i)
      sum[i] += partGradients[1].at(name)[i];
    expectClose("the accumulated gradient of " + name, gradient, sum, kForwardTolerance);
    if (!hasBatchStatistics(model))
      expectClose("the gradient in two micro-batches of " + name, gradient, whole.at(name), kGradientTolerance);
  }
}

static void expectEvaluation(CompiledStep &step, const Model &model, const Batch &batch) {
  for (const Batch &part : {batch, slice(batch, 1, batch.size() / 2)}) {
    const Answers answers = step.evaluate(part);
    ReferenceRun run{model.weights, part, /*isTraining=*/false};
    const ReferenceAnswers reference = interpret(model, run);
    expectClose("the evaluated output", answers.logits, reference.output, kForwardTolerance);
    expectClose("the evaluated loss", answers.losses, reference.losses, kForwardTolerance);
  }
}

static void expectUpdate(CompiledStep &step, const Model &model) {
  constexpr float kLearningRate = 0.5f;
  std::map<std::string, double> rates; // of states
  model.function().walk([&](party::BatchNormOp op) {
    if (model.training.batchNorm == "frozen")
      return;
    for (Value state : {op.getRunningMean(), op.getRunningVariance()})
      rates[state.getDefiningOp<party::ParameterOp>().getName().str()] = op.getMomentum().convertToDouble();
  });
  const auto gradients = step.gradients();
  step.update(kLearningRate);
  for (const auto &[name, weight] : step.weights()) {
    Tensor expected = model.weights.at(name);
    for (int64_t i = 0; i < expected.size(); ++i)
      if (auto rate = rates.find(name); rate != rates.end())
        expected[i] = rate->second * expected[i] + (1 - rate->second) * gradients.at(name)[i];
      else if (step.kindOf(name) == TensorKind::parameter)
        expected[i] -= kLearningRate * gradients.at(name)[i];
    expectClose("the updated " + name, weight, expected, 1e-6);
  }
}

void expectReference(const Model &model, int64_t samples) {
  std::string text;
  llvm::raw_string_ostream(text) << model.module.get();
  SCOPED_TRACE(text);
  CompiledStep step(model, samples);
  const Batch batch = batchFor(model, samples);
  expectForward(step, model, batch, samples);
  expectAllTrained(step, model);
  expectGradients(step, model, batch);
  expectAccumulation(step, model, batch);
  expectEvaluation(step, model, batch);
  expectUpdate(step, model);
}

} // namespace partyline::ops_test
