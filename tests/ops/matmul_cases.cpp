//===- matmul_cases.cpp - MatMul and Gemm ---------------------------------===//
#include "tests/ops/op_case.h"

#include <numeric>

using namespace mlir;

namespace partyline::ops_test {

static OpCase product(std::string name, int64_t k, int64_t n, bool hasBias, int64_t samples = 4) {
  auto build = [k, n, hasBias](ModelBuilder &model, Value x) {
    Value weight = model.weight({k, n});
    return model.add<party::MatmulOp>(x, weight, hasBias ? model.weight({n}) : Value());
  };
  return {std::move(name), {k}, build, false, samples};
}

static OpCase drawProduct(Random &random) {
  return product("", random.integer(1, 70), random.integer(1, 70), random.integer(0, 1), random.integer(2, 40));
}

// Gemm with transB = 1, alpha and beta, and a C that is added by an op of its own.
static Value gemm(ModelBuilder &model, Value x) {
  Value weight = model.add<party::TransposeOp>(model.weight({9, 6}), Shape{1, 0});
  Value y = model.add<party::ScaleOp>(model.add<party::MatmulOp>(x, weight, Value()), APFloat(0.5));
  return model.add<party::AddOp>(y, model.add<party::ScaleOp>(model.weight({1, 9}), APFloat(-3.0)));
}

// x [matrices..., m, k] and k x n matrices that are made of it, one for each.
static OpCase productOfMatrices(std::string name, const Shape &sample, int64_t n) {
  return {std::move(name), sample, [=](ModelBuilder &model, Value x) {
            Shape turn(sample.size() + 1);
            std::iota(turn.begin(), turn.end(), 0);
            std::swap(turn[sample.size()], turn[sample.size() - 1]);
            Value square = model.add<party::MatmulOp>(model.add<party::TransposeOp>(x, turn), // [..., k, m] x [m, n]
                                                      model.weight({sample[sample.size() - 2], n}), Value());
            return model.add<party::BatchMatmulOp>(x, square);
          }};
}

static OpCase drawProductOfMatrices(Random &random) {
  Shape sample;
  for (int64_t rank = random.integer(2, 4); rank > 0; --rank)
    sample.push_back(random.integer(1, rank > 2 ? 3 : 30));
  return productOfMatrices("", sample, random.integer(1, 30));
}

std::vector<OpCase> matmulCases() {
  std::vector<OpCase> cases = {
      product("one_by_one", 1, 1, true),
      productOfMatrices("matrices", {5, 7}, 6),
      productOfMatrices("heads", {3, 17, 16}, 33),
      productOfMatrices("rows_and_columns", {2, 1, 9}, 1),
      product("small", 5, 7, false),
      product("bias", 17, 33, true),
      product("wide", 64, 48, true),
      product("many_samples", 13, 21, true, 37),
      {"gemm", {6}, gemm},
      {"transposed_weight",
       {6},
       [](ModelBuilder &model, Value x) {
         Value weight = model.add<party::TransposeOp>(model.weight({9, 6}), Shape{1, 0});
         return model.add<party::MatmulOp>(x, weight, model.weight({9}));
       }},
      {"weight_straight_and_transposed",
       {6},
       [](ModelBuilder &model, Value x) {
         Value weight = model.weight({6, 6});
         Value y = model.add<party::MatmulOp>(x, weight, Value());
         return model.add<party::MatmulOp>(y, model.add<party::TransposeOp>(weight, Shape{1, 0}), Value());
       }},
      {"scalar_c",
       {6},
       [](ModelBuilder &model, Value x) {
         Value y = model.add<party::MatmulOp>(x, model.weight({6, 4}), Value());
         return model.add<party::AddOp>(y, model.weight({1}));
       }},
      {"rows_of_a_sample",
       {3, 6},
       [](ModelBuilder &model, Value x) {
         return model.add<party::MatmulOp>(x, model.weight({6, 4}), model.weight({4}));
       }},
      {"rows_of_an_image",
       {2, 3, 5},
       [](ModelBuilder &model, Value x) {
         return model.add<party::MatmulOp>(x, model.weight({5, 7}), Value());
       }},
      {"flattened_image",
       {3, 4, 5},
       [](ModelBuilder &model, Value x) {
         Value y = conv3x3(model, x, model.weight({2, 3, 3, 3}));
         return model.add<party::MatmulOp>(model.flattened(y), model.weight({40, 6}), model.weight({6}));
       }},
  };
  return withRandom(std::move(cases), 4, 3, drawProduct);
}

INSTANTIATE_TEST_SUITE_P(Matmul, OpTest, testing::ValuesIn(matmulCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(LongMatmul, OpTest, testing::ValuesIn(randomCases(40, 4, drawProduct)), CaseName());

INSTANTIATE_TEST_SUITE_P(LongBatchMatmul, OpTest, testing::ValuesIn(randomCases(40, 25, drawProductOfMatrices)),
                         CaseName());

} // namespace partyline::ops_test
