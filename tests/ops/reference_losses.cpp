//===- reference_losses.cpp - losses in double precision ------------------===//
#include "tests/ops/reference.h"

#include <cmath>

using namespace mlir;

namespace partyline::ops_test {

// The cross-entropy of softmax(scores) over the last dimension with 1 - s of the label and s of all classes alike,
// s = labelSmoothing.
Tensor crossEntropy(const Tensor &scores, const Tensor &labels, double labelSmoothing) {
  const int64_t classes = scores.shape.back();
  Tensor losses(labels.shape);
  for (int64_t n = 0; n < losses.size(); ++n) {
    double largest = scores[n * classes], sum = 0;
    for (int64_t c = 1; c < classes; ++c)
      largest = std::max(largest, scores[n * classes + c]);
    for (int64_t c = 0; c < classes; ++c)
      sum += std::exp(scores[n * classes + c] - largest);
    for (int64_t c = 0; c < classes; ++c) {
      const double wanted = (double(c) == labels[n] ? 1 - labelSmoothing : 0) + labelSmoothing / double(classes);
      losses[n] += wanted * (std::log(sum) + largest - scores[n * classes + c]);
    }
  }
  return losses;
}

// weights[label] * loss, 0 where the label is ignored. Operands: scores, labels, perhaps weights.
static Tensor counted(Operation *op, const Operands &operands, Tensor losses) {
  const auto ignored = op->getAttrOfType<IntegerAttr>("ignore_index");
  for (int64_t i = 0; i < losses.size(); ++i) {
    const auto label = int64_t((*operands[1])[i]);
    if (ignored && label == ignored.getInt())
      losses[i] = 0;
    else if (operands.size() > 2)
      losses[i] *= (*operands[2])[label];
  }
  return losses;
}

static std::vector<Tensor> ownCrossEntropy(Operation *op, const Operands &operands, ReferenceRun &) {
  return {counted(op, operands, crossEntropy(*operands[0], *operands[1], 0))};
}

static std::vector<Tensor> negativeLogLikelihood(Operation *op, const Operands &operands, ReferenceRun &) {
  const Tensor &logarithms = *operands[0], &labels = *operands[1];
  const int64_t classes = logarithms.shape.back();
  Tensor losses(labels.shape);
  for (int64_t i = 0; i < logarithms.size(); ++i)
    if (double(i % classes) == labels[i / classes])
      losses[i / classes] = -logarithms[i];
  return {counted(op, operands, losses)};
}

const std::map<std::string, ReferenceOp> &lossReference() {
  static const std::map<std::string, ReferenceOp> ops = {{"party.cross_entropy", ownCrossEntropy},
                                                         {"party.negative_log_likelihood", negativeLogLikelihood}};
  return ops;
}

/// The mean of term(value, target) over the elements of every sample.
template <typename Term> static Tensor meanOfElements(const Tensor &values, const Tensor &targets, Term term) {
  Tensor losses(Shape{values.shape[0]});
  const int64_t elements = values.size() / losses.size();
  for (int64_t i = 0; i < values.size(); ++i)
    losses[i / elements] += term(values[i], targets[i]) / double(elements);
  return losses;
}

Tensor meanSquaredError(const Tensor &output, const Tensor &targets) {
  return meanOfElements(output, targets, [](double y, double t) { return (y - t) * (y - t); });
}

Tensor binaryCrossEntropy(const Tensor &scores, const Tensor &targets) {
  // log sigmoid(x) = -log(1 + exp(-x)), and x less than that is log(1 - sigmoid(x)).
  const auto softplus = [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); };
  return meanOfElements(scores, targets, [&](double x, double t) { return t * softplus(-x) + (1 - t) * softplus(x); });
}

Tensor crossEntropyGradient(const Tensor &scores, const Tensor &labels, double labelSmoothing) {
  const int64_t classes = scores.shape[1];
  Tensor gradient(scores.shape);
  for (int64_t i = 0; i < scores.size(); ++i) {
    const int64_t first = i - i % classes, label = int64_t(labels[i / classes]);
    double sum = 0;
    for (int64_t c = first; c < first + classes; ++c)
      sum += std::exp(scores[c] - scores[i]);
    const double wanted = (i - first == label ? 1 - labelSmoothing : 0) + labelSmoothing / double(classes);
    gradient[i] = (1 / sum - wanted) / double(scores.shape[0]);
  }
  return gradient;
}

Tensor meanSquaredErrorGradient(const Tensor &output, const Tensor &targets) {
  Tensor gradient(output.shape);
  for (int64_t i = 0; i < output.size(); ++i)
    gradient[i] = 2 * (output[i] - targets[i]) / double(output.size());
  return gradient;
}

} // namespace partyline::ops_test
