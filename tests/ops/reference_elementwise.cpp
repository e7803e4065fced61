//===- reference_elementwise.cpp - arithmetic and activations -------------===//
#include "tests/ops/reference.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace mlir;

namespace partyline::ops_test {

/// numpy's broadcasting: shapes are aligned at their ends, an extent of 1 is repeated.
template <typename Function> static Tensor broadcast(const Tensor &lhs, const Tensor &rhs, Function function) {
  const size_t rank = std::max(lhs.shape.size(), rhs.shape.size());
  auto extentOf = [&](const Tensor &tensor, size_t i) {
    const size_t missing = rank - tensor.shape.size();
    return i < missing ? 1 : tensor.shape[i - missing];
  };
  Shape shape;
  for (size_t i = 0; i < rank; ++i)
    shape.push_back(std::max(extentOf(lhs, i), extentOf(rhs, i)));
  Tensor result(shape);
  Shape index(rank, 0);
  for (int64_t element = 0; element < result.size(); ++element) {
    for (int64_t i = int64_t(rank) - 1, rest = element; i >= 0; --i) {
      index[size_t(i)] = rest % shape[size_t(i)];
      rest /= shape[size_t(i)];
    }
    auto valueOf = [&](const Tensor &tensor) {
      int64_t place = 0;
      for (size_t i = 0; i < rank; ++i)
        place = place * extentOf(tensor, i) + (extentOf(tensor, i) == 1 ? 0 : index[i]);
      return tensor[place];
    };
    result[element] = function(valueOf(lhs), valueOf(rhs));
  }
  return result;
}

template <typename Function> static Tensor map(const Tensor &input, Function function) {
  Tensor result(input.shape);
  for (int64_t i = 0; i < input.size(); ++i)
    result[i] = function(input[i]);
  return result;
}

static std::vector<Tensor> add(Operation *, const Operands &operands, ReferenceRun &) {
  return {broadcast(*operands[0], *operands[1], [](double a, double b) { return a + b; })};
}

static std::vector<Tensor> subtract(Operation *, const Operands &operands, ReferenceRun &) {
  return {broadcast(*operands[0], *operands[1], [](double a, double b) { return a - b; })};
}

static std::vector<Tensor> multiply(Operation *, const Operands &operands, ReferenceRun &) {
  return {broadcast(*operands[0], *operands[1], [](double a, double b) { return a * b; })};
}

static std::vector<Tensor> divide(Operation *, const Operands &operands, ReferenceRun &) {
  return {broadcast(*operands[0], *operands[1], [](double a, double b) { return a / b; })};
}

static std::vector<Tensor> leakyRelu(Operation *op, const Operands &operands, ReferenceRun &) {
  const double alpha = cast<party::LeakyReluOp>(op).getAlpha().convertToDouble();
  return {map(*operands[0], [&](double x) { return x < 0 ? alpha * x : x; })};
}

static std::vector<Tensor> elu(Operation *op, const Operands &operands, ReferenceRun &) {
  const double alpha = cast<party::EluOp>(op).getAlpha().convertToDouble();
  return {map(*operands[0], [&](double x) { return x < 0 ? alpha * std::expm1(x) : x; })};
}

static std::vector<Tensor> scale(Operation *op, const Operands &operands, ReferenceRun &) {
  const double factor = cast<party::ScaleOp>(op).getFactor().convertToDouble();
  return {map(*operands[0], [&](double x) { return factor * x; })};
}

static std::vector<Tensor> relu(Operation *, const Operands &operands, ReferenceRun &) {
  return {map(*operands[0], [](double x) { return x > 0 ? x : 0; })};
}

static std::vector<Tensor> sigmoid(Operation *, const Operands &operands, ReferenceRun &) {
  return {map(*operands[0], [](double x) { return 1 / (1 + std::exp(-x)); })};
}

static std::vector<Tensor> tanh(Operation *, const Operands &operands, ReferenceRun &) {
  return {map(*operands[0], [](double x) { return std::tanh(x); })};
}

static std::vector<Tensor> clip(Operation *op, const Operands &operands, ReferenceRun &) {
  auto bounds = cast<party::ClipOp>(op);
  const double minimum = bounds.getMinimum().convertToDouble(), maximum = bounds.getMaximum().convertToDouble();
  return {map(*operands[0], [&](double x) { return std::min(std::max(x, minimum), maximum); })};
}

static std::vector<Tensor> dropout(Operation *op, const Operands &operands, ReferenceRun &run) {
  if (!run.isTraining)
    return {*operands[0]};
  auto mask = run.dropoutMasks.find(int64_t(cast<party::DropoutOp>(op).getLayer()));
  if (mask == run.dropoutMasks.end())
    throw std::logic_error("no mask is given for a dropout layer");
  return {broadcast(*operands[0], mask->second, [](double x, double factor) { return x * factor; })};
}

const std::map<std::string, ReferenceOp> &elementwiseReference() {
  static const std::map<std::string, ReferenceOp> table = {{"party.add", add},
                                                           {"party.subtract", subtract},
                                                           {"party.multiply", multiply},
                                                           {"party.scale", scale},
                                                           {"party.relu", relu},
                                                           {"party.sigmoid", sigmoid},
                                                           {"party.tanh", tanh},
                                                           {"party.dropout", dropout},
                                                           {"party.clip", clip},
                                                           {"party.divide", divide},
                                                           {"party.leaky_relu", leakyRelu},
                                                           {"party.elu", elu}};
  return table;
}

} // namespace partyline::ops_test
