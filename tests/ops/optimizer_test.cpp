//===- optimizer_test.cpp - several steps against rules in double ---------===//
//
// Gradients are the compiled model's own; what is checked is what the optimizer makes of them, tensor by tensor, its
// state from step to step included.
//
//===----------------------------------------------------------------------===//
#include "tests/ops/checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace mlir;

namespace partyline::ops_test {
namespace {

/// What a rule knows of one tensor: its weights and state in double, and the gradient of this step.
struct TensorState {
  std::vector<double> weight, first, second;
};
using Rule = std::function<void(TensorState &state, const Tensor &gradient, int step)>;

/// A convolution with bias, a vector and a matrix: tensors of several dimensions, some of them stored transposed.
Model smallModel(const TrainingOptions &training) {
  ModelBuilder model({2, 5, 5});
  Value x = conv3x3(model, model.input(), model.weight({3, 2, 3, 3}));
  x = model.add<party::AddOp>(x, model.weight({3, 1, 1}));
  x = model.add<party::ReluOp>(x);
  x = model.add<party::MatmulOp>(model.flattened(x), model.weight({75, 4}), model.weight({4}));
  Model finished = model.finish(x);
  finished.training = training;
  return finished;
}

constexpr float kLearningRate = 0.05f;

void expectRule(const TrainingOptions &options, int steps, const Rule &rule) {
  const Model model = smallModel(options);
  CompiledStep step(model, 4);
  std::map<std::string, TensorState> states;
  for (const auto &[name, weight] : model.weights) {
    const std::vector<double> zeros(size_t(weight.size()), 0.0);
    states[name] = {{weight.data.begin(), weight.data.end()}, zeros, zeros};
  }
  for (int t = 0; t < steps; ++t) {
    step.stepNumber = uint32_t(t);
    step.forwardBackward(batchFor(model, 4), 0.25f);
    const std::map<std::string, Tensor> gradients = step.gradients();
    step.update(kLearningRate);
    const std::map<std::string, Tensor> weights = step.weights();
    for (auto &[name, state] : states) {
      rule(state, gradients.at(name), t);
      Tensor expected = weights.at(name);
      std::copy(state.weight.begin(), state.weight.end(), expected.data.begin());
      expectClose(name + " after step " + std::to_string(t), weights.at(name), expected, 1e-6);
    }
  }
}

TEST(Optimizer, SgdWithMomentum) {
  TrainingOptions options;
  options.momentum = 0.9;
  options.weightDecay = 0.01;
  expectRule(options, 4, [](TensorState &state, const Tensor &gradient, int) {
    for (size_t i = 0; i < state.weight.size(); ++i) {
      state.first[i] = 0.9 * state.first[i] + gradient.data[i] + 0.01 * state.weight[i];
      state.weight[i] -= kLearningRate * state.first[i];
    }
  });
}

TEST(Optimizer, AdamW) {
  TrainingOptions options;
  options.optimizer = "adamw";
  options.weightDecay = 0.1;
  options.beta1 = 0.8;
  options.beta2 = 0.99;
  options.epsilon = 1e-6;
  expectRule(options, 5, [](TensorState &state, const Tensor &gradient, int step) {
    for (size_t i = 0; i < state.weight.size(); ++i) {
      const double g = gradient.data[i];
      double &m = state.first[i], &v = state.second[i];
      m = 0.8 * m + 0.2 * g;
      v = 0.99 * v + 0.01 * g * g;
      const double unbiasedM = m / (1 - std::pow(0.8, step + 1)), unbiasedV = v / (1 - std::pow(0.99, step + 1));
      state.weight[i] *= 1 - kLearningRate * 0.1;
      state.weight[i] -= kLearningRate * unbiasedM / (std::sqrt(unbiasedV) + 1e-6);
    }
  });
}

// Tensors of two dimensions or more have a ratio, which both norms are part of; vectors have none, and no decay.
TEST(Optimizer, Lars) {
  for (double momentum : {0.0, 0.9}) {
    TrainingOptions options;
    options.optimizer = "lars";
    options.momentum = momentum;
    options.weightDecay = 0.1;
    options.trust = 0.3;
    expectRule(options, 4, [&](TensorState &state, const Tensor &gradient, int) {
      const bool isVector = gradient.shape.size() == 1;
      double gradients = 0, weights = 0;
      for (size_t i = 0; i < state.weight.size(); ++i) {
        gradients += std::pow(gradient.data[i], 2);
        weights += std::pow(state.weight[i], 2);
      }
      const double decay = isVector ? 0 : 0.1;
      const double ratio = isVector ? 1 : 0.3 * std::sqrt(weights) / (std::sqrt(gradients) + 0.1 * std::sqrt(weights));
      for (size_t i = 0; i < state.weight.size(); ++i) {
        state.first[i] = momentum * state.first[i] + ratio * (gradient.data[i] + decay * state.weight[i]);
        state.weight[i] -= kLearningRate * state.first[i];
      }
    });
  }
}

// The first step of Adam moves every weight by the learning rate, whatever the gradient's size.
TEST(Optimizer, AdamWsFirstStep) {
  TrainingOptions options;
  options.optimizer = "adamw";
  const Model model = smallModel(options);
  CompiledStep step(model, 4);
  step.stepNumber = 0;
  step.forwardBackward(batchFor(model, 4), 1e3f);
  const std::map<std::string, Tensor> gradients = step.gradients(), before = step.weights();
  step.update(kLearningRate);
  for (const auto &[name, after] : step.weights())
    for (int64_t i = 0; i < after.size(); ++i) {
      const double g = gradients.at(name).data[size_t(i)],
                   moved = after.data[size_t(i)] - before.at(name).data[size_t(i)];
      if (std::abs(g) > 1e-3) {
        EXPECT_NEAR(moved, g > 0 ? -kLearningRate : kLearningRate, 1e-5) << name << " " << i;
      }
    }
}

} // namespace
} // namespace partyline::ops_test
