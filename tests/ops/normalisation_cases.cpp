//===- normalisation_cases.cpp - BatchNormalization, Softmax, LogSoftmax --===//
#include "tests/ops/op_case.h"

using namespace mlir;

namespace partyline::ops_test {

static Value batchNorm(ModelBuilder &model, Value x, double epsilon = 1e-5, double momentum = 0.9) {
  const Shape channels = {sampleShapeOf(x)[0]};
  OpBuilder attributes(&context());
  const bool isMatrix = sampleShapeOf(x).size() == 1;
  Value scale = model.weight(channels, 0.5, 1.5), bias = model.weight(channels);
  Value mean = model.weight(channels, -1, 1, kStateKind), variance = model.weight(channels, 0.5, 2, kStateKind);
  return model.add<party::BatchNormOp>(x, scale, bias, mean, variance, attributes.getF64FloatAttr(epsilon),
                                       attributes.getF64FloatAttr(momentum),
                                       isMatrix ? attributes.getUnitAttr() : UnitAttr());
}

static OpCase normalised(std::string name, const Shape &sample, double epsilon = 1e-5, double momentum = 0.9) {
  return {std::move(name), sample,
          [=](ModelBuilder &model, Value x) { return batchNorm(model, x, epsilon, momentum); }};
}

static OpCase behindConvolution(std::string name) {
  return {std::move(name), {3, 5, 5}, [](ModelBuilder &model, Value x) {
            Value y = conv3x3(model, x, model.weight({6, 3, 3, 3}), 2);
            return model.add<party::ReluOp>(batchNorm(model, y));
          }};
}

static OpCase concatenatedBehindBatchNorm() {
  return {"concat_behind_batch_norm", {3, 4, 5}, [](ModelBuilder &model, Value x) {
            SmallVector<Value> parts;
            for (int64_t channels : {5, 8})
              parts.push_back(
                  model.add<party::ReluOp>(batchNorm(model, conv3x3(model, x, model.weight({channels, 3, 3, 3})))));
            return conv3x3(model, model.add<party::ConcatOp>(parts, 1, false), model.weight({2, 13, 3, 3}));
          }};
}

static OpCase drawBatchNorm(Random &random) {
  Shape sample = {random.integer(1, 40)};
  if (random.integer(0, 2) > 0)
    sample.insert(sample.end(), {random.integer(1, 7), random.integer(1, 7)});
  return normalised("", sample, random.real(1e-5, 1e-2), random.real(0, 1));
}

static OpCase under(std::string batchNorm, OpCase opCase) {
  opCase.training.batchNorm = std::move(batchNorm);
  return opCase;
}

static OpCase drawFrozen(Random &random) { return under("frozen", drawBatchNorm(random)); }

std::vector<OpCase> batchNormCases() {
  std::vector<OpCase> cases = {
      normalised("image", {7, 5, 3}),
      normalised("many_channels", {33, 2, 2}),
      normalised("one_channel", {1, 4, 4}),
      normalised("matrix", {13}, 1e-2),
      normalised("line", {5, 6}, 1e-3, 0.7),
      normalised("momentum_0", {3, 2, 2}, 1e-5, 0),
      {"far_from_zero",
       {4, 3, 3},
       [](ModelBuilder &model, Value x) {
         return batchNorm(model, model.add<party::AddOp>(x, model.weight({4, 1, 1}, 3, 5)));
       }},
      behindConvolution("behind_convolution"),
      concatenatedBehindBatchNorm(),
      {"two",
       {6, 3, 3},
       [](ModelBuilder &model, Value x) {
         return batchNorm(model, model.add<party::TanhOp>(batchNorm(model, x, 1e-5, 0.8)), 1e-3, 0.95);
       }},
      under("torch", normalised("unbiased_image", {7, 5, 3})),
      under("torch", normalised("unbiased_matrix", {13}, 1e-2)),
      under("frozen", normalised("frozen_image", {7, 5, 3})),
      under("frozen", normalised("frozen_matrix", {13}, 1e-2)),
      under("frozen", behindConvolution("frozen_behind_convolution")),
  };
  return withRandom(std::move(cases), 4, 10, drawBatchNorm);
}

template <typename Op> static OpCase rows(std::string name, const Shape &sample, double range = 2) {
  return {std::move(name), sample, [range](ModelBuilder &model, Value x) {
            return model.add<Op>(model.add<party::ScaleOp>(x, APFloat(range)));
          }};
}

template <typename Op> static OpCase output(std::string name, int64_t classes, double range = 2) {
  OpCase result = rows<Op>(std::move(name), {classes}, range);
  result.isOutput = true;
  return result;
}

// The trailing softmax may be missing: then the loss is that of plain scores.
static OpCase scores(std::string name, int64_t classes, double range = 2) {
  return {std::move(name),
          {classes},
          [range](ModelBuilder &model, Value x) { return model.add<party::ScaleOp>(x, APFloat(range)); },
          true};
}

// Over the channels of an image: the importer brings the axis to the end and back.
template <typename Op> static OpCase channels(std::string name) {
  return {std::move(name), {4, 2, 3}, [](ModelBuilder &model, Value x) {
            Value y = model.add<Op>(model.add<party::TransposeOp>(x, Shape{0, 2, 3, 1}));
            return model.add<party::TransposeOp>(y, Shape{0, 3, 1, 2});
          }};
}

static OpCase drawSoftmax(Random &random) {
  Shape sample;
  for (int64_t rank = random.integer(1, 3); rank > 0; --rank)
    sample.push_back(random.integer(1, 20));
  return random.integer(0, 1) ? rows<party::SoftmaxOp>("", sample) : rows<party::LogSoftmaxOp>("", sample);
}

std::vector<OpCase> softmaxCases() {
  std::vector<OpCase> cases = {
      rows<party::SoftmaxOp>("softmax", {7}),
      rows<party::SoftmaxOp>("softmax_of_rows", {3, 19}),
      rows<party::SoftmaxOp>("softmax_of_one", {4, 1}),
      rows<party::LogSoftmaxOp>("log_softmax", {7}),
      rows<party::LogSoftmaxOp>("log_softmax_of_rows", {3, 19}),
      rows<party::LogSoftmaxOp>("log_softmax_far_apart", {9}, 60), // e^60 squared is beyond float
      channels<party::SoftmaxOp>("softmax_of_channels"),
      channels<party::LogSoftmaxOp>("log_softmax_of_channels"),
      output<party::SoftmaxOp>("output", 10),
      output<party::LogSoftmaxOp>("log_output", 10),
      output<party::LogSoftmaxOp>("log_output_far_apart", 10, 200),
      scores("scores", 37),
      scores("scores_far_apart", 10, 200),
      scores("two_scores", 2),
      scores("one_score", 1),
      {"softmax_of_softmax",
       {6},
       [](ModelBuilder &model, Value x) { return model.add<party::SoftmaxOp>(model.add<party::LogSoftmaxOp>(x)); },
       true},
  };
  return withRandom(std::move(cases), 3, 11, drawSoftmax);
}

static OpCase normalized(std::string name, const Shape &sample, int64_t dimensions, double epsilon = 1e-5) {
  return {std::move(name), sample,
          [=](ModelBuilder &model, Value x) { return model.add<party::NormalizeOp>(x, dimensions, APFloat(epsilon)); }};
}

static OpCase lrn(std::string name, const Shape &sample, int64_t size, double beta, double alpha = 1, double bias = 1) {
  return {std::move(name), sample, [=](ModelBuilder &model, Value x) {
            return model.add<party::LrnOp>(x, size, APFloat(alpha), APFloat(beta), APFloat(bias));
          }};
}

static OpCase drawLrn(Random &random) {
  const double betas[] = {0.75, 0.5, 1, 0.6};
  return lrn("", {random.integer(1, 4), random.integer(1, 40)}, random.integer(1, 9), betas[random.integer(0, 3)],
             random.real(0, 2), random.real(0.5, 2));
}

static OpCase drawNormalized(Random &random) {
  Shape sample;
  for (int64_t rank = random.integer(1, 4); rank > 0; --rank)
    sample.push_back(random.integer(1, 9));
  sample.back() += 2; // of one or two elements, nothing or only signs are left
  return normalized("", sample, random.integer(1, int64_t(sample.size())));
}

std::vector<OpCase> normalizeCases() {
  std::vector<OpCase> cases = {
      normalized("row", {37}, 1),
      normalized("rows", {4, 19}, 1),
      normalized("images", {3, 4, 5}, 3),
      normalized("large_epsilon", {3, 8}, 1, 0.5),
      lrn("lrn", {3, 16}, 5, 0.75),
      lrn("lrn_of_even_size", {13}, 4, 0.6, 2, 0.5),
      lrn("lrn_wider_than_the_channels", {2, 3}, 9, 0.75),
      {"lrn_of_image",
       {3, 5, 4},
       [](ModelBuilder &model, Value x) {
         Value y = model.add<party::TransposeOp>(conv3x3(model, x, model.weight({6, 3, 3, 3})), Shape{0, 2, 3, 1});
         y = model.add<party::LrnOp>(y, int64_t(5), APFloat(1.0), APFloat(0.75), APFloat(2.0));
         return conv3x3(model, model.add<party::TransposeOp>(y, Shape{0, 3, 1, 2}), model.weight({2, 6, 3, 3}));
       }},
      {"far_from_zero",
       {12},
       [](ModelBuilder &model, Value x) {
         Value shift = model.weight({12}, std::vector<float>(12, 8.0f), kConstantKind);
         return model.add<party::NormalizeOp>(model.add<party::AddOp>(x, shift), 1, APFloat(1e-5));
       }},
      {"groups_of_a_convolution",
       {3, 5, 4},
       [](ModelBuilder &model, Value x) {
         Value y = conv3x3(model, x, model.weight({6, 3, 3, 3}));
         y = model.reshaped(model.add<party::NormalizeOp>(model.reshaped(y, {2, 60}), 1, APFloat(1e-5)), {6, 5, 4});
         return conv3x3(model, y, model.weight({2, 6, 3, 3}));
       }},
  };
  return withRandom(std::move(cases), 4, 23, drawNormalized);
}

INSTANTIATE_TEST_SUITE_P(Normalize, OpTest, testing::ValuesIn(normalizeCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(LongLrn, OpTest, testing::ValuesIn(randomCases(30, 27, drawLrn)), CaseName());
INSTANTIATE_TEST_SUITE_P(LongNormalize, OpTest, testing::ValuesIn(randomCases(30, 24, drawNormalized)), CaseName());
INSTANTIATE_TEST_SUITE_P(BatchNorm, OpTest, testing::ValuesIn(batchNormCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(Softmax, OpTest, testing::ValuesIn(softmaxCases()), CaseName());
INSTANTIATE_TEST_SUITE_P(LongBatchNorm, OpTest, testing::ValuesIn(randomCases(30, 12, drawBatchNorm)), CaseName());
INSTANTIATE_TEST_SUITE_P(LongFrozenBatchNorm, OpTest, testing::ValuesIn(randomCases(20, 28, drawFrozen)), CaseName());
INSTANTIATE_TEST_SUITE_P(LongSoftmax, OpTest, testing::ValuesIn(randomCases(30, 13, drawSoftmax)), CaseName());

} // namespace partyline::ops_test
