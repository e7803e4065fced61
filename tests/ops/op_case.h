//===- op_case.h - operators in models of their own -----------------------===//
#pragma once

#include "tests/ops/model_builder.h"
#include "tests/ops/random.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace partyline::ops_test {

/// One configuration of an operator, which checks hold to the reference.
struct OpCase {
  std::string name; ///< letters, digits and underscores
  Shape sampleShape;
  /// Adds the operator behind `x`, a trained value of the sample's shape: so that gradients of inputs show. A loss ends
  /// the model.
  std::function<mlir::Value(ModelBuilder &model, mlir::Value x)> build;
  /// Whether the operator's result is the network's output, instead of random sums of its elements
  /// being that.
  bool isOutput = false;
  int64_t samples = 4; ///< of the batch, which is also the micro-batch that the model is compiled for
  TrainingOptions training = {};

  Model makeModel() const;
};

inline std::ostream &operator<<(std::ostream &stream, const OpCase &opCase) { return stream << opCase.name; }

/// A 3x3 convolution with padding 1 and without bias.
mlir::Value conv3x3(ModelBuilder &model, mlir::Value x, mlir::Value weight, int64_t stride = 1);

/// `count` cases, each drawn by `draw` from a seed of its own.
std::vector<OpCase> randomCases(int count, uint64_t seed, const std::function<OpCase(Random &)> &draw);

/// `cases`, and randomCases behind them.
std::vector<OpCase> withRandom(std::vector<OpCase> cases, int count, uint64_t seed,
                               const std::function<OpCase(Random &)> &draw);

/// The families' cases: those of the default suite.
std::vector<OpCase> convolutionCases();
std::vector<OpCase> matmulCases();
std::vector<OpCase> elementwiseCases();
std::vector<OpCase> unaryCases();
std::vector<OpCase> poolingCases();
std::vector<OpCase> batchNormCases();
std::vector<OpCase> softmaxCases();
std::vector<OpCase> normalizeCases();
std::vector<OpCase> shapeCases();
std::vector<OpCase> graphCases();
std::vector<OpCase> lossCases();

/// The names of all party ops in these cases, and of those that tests of their own have.
std::set<std::string> opsWithCase();

/// Checks one case in every way (op_case.cpp).
class OpTest : public testing::TestWithParam<OpCase> {};

/// Names a test after its case.
struct CaseName {
  std::string operator()(const testing::TestParamInfo<OpCase> &info) const { return info.param.name; }
};

} // namespace partyline::ops_test
