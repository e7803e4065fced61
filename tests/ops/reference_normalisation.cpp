//===- reference_normalisation.cpp - batch_norm, softmax ------------------===//
#include "tests/ops/reference.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace partyline::ops_test {

// [N, C, ...]: in training by the batch's own mean and population variance, which are what the running ones move to
// (torch: to the variance of the population that the batch is a sample of); by the running ones where these are frozen.
static std::vector<Tensor> batchNorm(Operation *op, const Operands &operands, ReferenceRun &run) {
  const Tensor &x = *operands[0], &scale = *operands[1], &bias = *operands[2];
  Tensor mean = *operands[3], variance = *operands[4];
  auto attributes = cast<party::BatchNormOp>(op);
  const int64_t channels = x.shape[1], positions = x.size() / (x.shape[0] * channels);
  auto channelOf = [&](int64_t element) { return element / positions % channels; };
  if (run.isTraining && run.batchNorm != "frozen") {
    const double count = double(x.size() / channels);
    mean = variance = Tensor({channels});
    for (int64_t i = 0; i < x.size(); ++i)
      mean[channelOf(i)] += x[i] / count;
    for (int64_t i = 0; i < x.size(); ++i)
      variance[channelOf(i)] += std::pow(x[i] - mean[channelOf(i)], 2) / count;
    auto nameOf = [](Value state) { return state.getDefiningOp<party::ParameterOp>().getName().str(); };
    run.statistics[nameOf(attributes.getRunningMean())] = mean;
    Tensor &moving = run.statistics[nameOf(attributes.getRunningVariance())] = variance;
    for (double &value : moving.data)
      if (run.batchNorm == "torch" && count > 1)
        value *= count / (count - 1);
  }
  Tensor y(x.shape);
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t c = channelOf(i);
    y[i] = scale[c] * (x[i] - mean[c]) / std::sqrt(variance[c] + attributes.getEpsilon().convertToDouble()) + bias[c];
  }
  return {y, mean, variance};
}

// Ioffe and Szegedy, Batch Normalization, 2015, section 3.
static std::vector<Tensor> batchNormGradients(Operation *op, const ReferenceResult &at, ReferenceRun &run) {
  const Tensor &x = *at.operands[0], &scale = *at.operands[1], &mean = *at.results[1], &variance = *at.results[2];
  const double epsilon = cast<party::BatchNormOp>(op).getEpsilon().convertToDouble();
  const int64_t channels = x.shape[1], positions = x.size() / (x.shape[0] * channels);
  // Frozen statistics do not depend on the batch.
  const double share = run.batchNorm == "frozen" ? 0 : double(channels) / double(x.size());
  auto channelOf = [&](int64_t element) { return element / positions % channels; };
  Tensor normalised = x, products = at.gradient;
  for (int64_t i = 0; i < x.size(); ++i) {
    normalised[i] = (x[i] - mean[channelOf(i)]) / std::sqrt(variance[channelOf(i)] + epsilon);
    products[i] *= normalised[i];
  }
  const Tensor scaleGradient = sumsOfChannels(products), biasGradient = sumsOfChannels(at.gradient);
  Tensor dx(x.shape);
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t c = channelOf(i);
    dx[i] = scale[c] / std::sqrt(variance[c] + epsilon) *
            (at.gradient[i] - share * (biasGradient[c] + normalised[i] * scaleGradient[c]));
  }
  return {dx, scaleGradient, biasGradient, Tensor(), Tensor()};
}

// log(exp(x) / sum(exp(x))) over the last dimension.
static Tensor logSoftmaxOf(const Tensor &x) {
  const int64_t classes = x.shape.back();
  Tensor y(x.shape);
  for (int64_t row = 0; row < x.size(); row += classes) {
    double sum = 0;
    const double largest = *std::max_element(&x.data[size_t(row)], &x.data[size_t(row)] + classes);
    for (int64_t c = 0; c < classes; ++c)
      sum += std::exp(x[row + c] - largest);
    for (int64_t c = 0; c < classes; ++c)
      y[row + c] = x[row + c] - largest - std::log(sum);
  }
  return y;
}

static std::vector<Tensor> logSoftmax(Operation *, const Operands &operands, ReferenceRun &) {
  return {logSoftmaxOf(*operands[0])};
}

static std::vector<Tensor> softmax(Operation *, const Operands &operands, ReferenceRun &) {
  Tensor y = logSoftmaxOf(*operands[0]);
  for (double &value : y.data)
    value = std::exp(value);
  return {y};
}

// Rows of the last dimensions, less their mean, over their deviation.
static std::vector<Tensor> normalize(Operation *op, const Operands &operands, ReferenceRun &) {
  auto attributes = cast<party::NormalizeOp>(op);
  const Tensor &x = *operands[0];
  Tensor y(x.shape);
  int64_t length = 1;
  for (size_t i = x.shape.size() - size_t(attributes.getDimensions()); i < x.shape.size(); ++i)
    length *= x.shape[i];
  for (int64_t row = 0; row < x.size(); row += length) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < length; ++i)
      mean += x[row + i] / double(length);
    for (int64_t i = 0; i < length; ++i)
      variance += (x[row + i] - mean) * (x[row + i] - mean) / double(length);
    for (int64_t i = 0; i < length; ++i)
      y[row + i] = (x[row + i] - mean) / std::sqrt(variance + attributes.getEpsilon().convertToDouble());
  }
  return {y};
}

namespace {

/// LRN's window around a channel of the last dimension, and what an element is divided by.
struct Neighbours {
  party::LrnOp op;
  const Tensor &x;
  int64_t channels = x.shape.back(), size = int64_t(op.getSize());
  double beta = op.getBeta().convertToDouble(), factor = op.getAlpha().convertToDouble() / double(size);

  std::pair<int64_t, int64_t> range(int64_t element) { // of elements, the last inclusive
    const int64_t channel = element % channels, row = element - channel;
    return {row + std::max<int64_t>(0, channel - (size - 1) / 2), row + std::min(channels - 1, channel + size / 2)};
  }
  double sum(int64_t element) {
    const auto [first, last] = range(element);
    double squares = 0;
    for (int64_t i = first; i <= last; ++i)
      squares += x[i] * x[i];
    return op.getBias().convertToDouble() + factor * squares;
  }
};

} // namespace

// Every element over a power of the squares around it in the last dimension.
static std::vector<Tensor> lrn(Operation *op, const Operands &operands, ReferenceRun &) {
  const Tensor &x = *operands[0];
  Neighbours neighbours{cast<party::LrnOp>(op), x};
  Tensor y(x.shape);
  for (int64_t element = 0; element < x.size(); ++element)
    y[element] = x[element] / std::pow(neighbours.sum(element), neighbours.beta);
  return {y};
}

static std::vector<Tensor> lrnGradients(Operation *op, const ReferenceResult &at, ReferenceRun &) {
  const Tensor &x = *at.operands[0];
  Neighbours neighbours{cast<party::LrnOp>(op), x};
  Tensor dx(x.shape);
  for (int64_t element = 0; element < x.size(); ++element) {
    const double sum = neighbours.sum(element), dy = at.gradient[element];
    dx[element] += dy * std::pow(sum, -neighbours.beta);
    const double ofSum = -neighbours.beta * dy * x[element] * std::pow(sum, -neighbours.beta - 1);
    const auto [first, last] = neighbours.range(element);
    for (int64_t i = first; i <= last; ++i)
      dx[i] += ofSum * 2 * neighbours.factor * x[i];
  }
  return {dx};
}

const std::map<std::string, ReferenceOp> &normalisationReference() {
  static const std::map<std::string, ReferenceOp> table = {{"party.batch_norm", batchNorm},
                                                           {"party.softmax", softmax},
                                                           {"party.log_softmax", logSoftmax},
                                                           {"party.normalize", normalize},
                                                           {"party.lrn", lrn}};
  return table;
}

const std::map<std::string, ReferenceGradient> &normalisationGradients() {
  static const std::map<std::string, ReferenceGradient> table = {{"party.batch_norm", batchNormGradients},
                                                                 {"party.lrn", lrnGradients}};
  return table;
}

} // namespace partyline::ops_test
