//===- op_case.cpp --------------------------------------------------------===//
#include "tests/ops/op_case.h"

#include "tests/ops/checks.h"

#include <cmath>
#include <set>

using namespace mlir;

namespace partyline::ops_test {

// Five scores: random sums of all elements, which therefore all have gradients of about one size.
static Value scoresOf(ModelBuilder &model, Value y) {
  constexpr int64_t kClasses = 5;
  const int64_t elements = product(sampleShapeOf(y));
  const double range = 2 * std::sqrt(double(elements));
  Value rows = model.reshaped(y, {1, elements});
  Value terms = model.add<party::MultiplyOp>(rows, model.weight({kClasses, elements}, -range, range, kConstantKind));
  return model.flattened(model.add<party::GlobalAveragePoolOp>(terms, false));
}

Model OpCase::makeModel() const {
  ModelBuilder model(sampleShape);
  Value y = build(model, model.scaled(model.input()));
  const bool isLast = isOutput || y.getDefiningOp<party::LossOpInterface>();
  Model finished = model.finish(isLast ? y : scoresOf(model, y));
  finished.training = training;
  return finished;
}

std::vector<OpCase> randomCases(int count, uint64_t seed, const std::function<OpCase(Random &)> &draw) {
  std::vector<OpCase> cases;
  for (int i = 0; i < count; ++i) {
    Random random(seed * 1000 + uint64_t(i));
    cases.push_back(draw(random));
    cases.back().name = "random_" + std::to_string(i);
  }
  return cases;
}

std::vector<OpCase> withRandom(std::vector<OpCase> cases, int count, uint64_t seed,
                               const std::function<OpCase(Random &)> &draw) {
  for (OpCase &drawn : randomCases(count, seed, draw))
    cases.push_back(std::move(drawn));
  return cases;
}

TEST_P(OpTest, IsItsReference) { expectReference(GetParam().makeModel(), GetParam().samples); }

// These losses are the pipeline's alone: loss_cases.cpp. So is what BatchNorm becomes where it is frozen.
static const std::set<std::string> byThePipeline = {"party.mean_squared_error", "party.binary_cross_entropy",
                                                    "party.batch_norm_inference"};

std::set<std::string> opsWithCase() {
  std::set<std::string> used = byThePipeline;
  used.insert("party.dropout"); // dropout_test.cpp
  for (const auto &family :
       {convolutionCases(), matmulCases(), elementwiseCases(), unaryCases(), poolingCases(), batchNormCases(),
        softmaxCases(), normalizeCases(), shapeCases(), graphCases(), lossCases()})
    for (const OpCase &opCase : family)
      opCase.makeModel().module->walk([&](Operation *op) { used.insert(op->getName().getStringRef().str()); });
  return used;
}

// An op that can be trained, and has no reference or no case, fails here.
TEST(OpCoverage, EveryForwardOpHasReferenceAndCase) {
  const std::set<std::string> used = opsWithCase();
  int forward = 0;
  for (RegisteredOperationName op : context().getRegisteredOperations()) {
    if (!op.hasInterface<party::GradientOpInterface>())
      continue;
    const std::string name = op.getStringRef().str();
    ++forward;
    EXPECT_TRUE(used.count(name)) << name << " has no case";
    EXPECT_TRUE(findReference(name) || byThePipeline.count(name)) << name << " has no reference";
  }
  EXPECT_GE(forward, 18);
}

} // namespace partyline::ops_test
