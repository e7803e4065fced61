//===- reference_elementwise.cpp - arithmetic with broadcasting, dropout --===//
#include "tests/ops/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

/// function(lhs, rhs), broadcast.
template <auto function> static std::vector<Tensor> binary(Operation *, const Operands &operands, ReferenceRun &) {
  return {broadcast(*operands[0], *operands[1], function)};
}

static std::vector<Tensor> where(Operation *, const Operands &operands, ReferenceRun &) {
  // Two selections of two operands; what is not selected is 0.
  const Tensor &condition = *operands[0];
  Tensor yes = broadcast(condition, *operands[1], [](double c, double y) { return c != 0 ? y : 0; });
  Tensor no = broadcast(condition, *operands[2], [](double c, double n) { return c != 0 ? 0 : n; });
  return {broadcast(yes, no, [](double y, double n) { return y + n; })};
}

static std::vector<Tensor> broadcastTo(Operation *op, const Operands &operands, ReferenceRun &run) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Shape shape(type.getShape().begin(), type.getShape().end());
  if (!type.hasStaticShape())
    shape[0] = run.batch.size();
  return {broadcast(*operands[0], Tensor(shape), [](double x, double) { return x; })};
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
  static const std::map<std::string, ReferenceOp> table = {
      {"party.add", binary<[](double a, double b) { return a + b; }>},
      {"party.broadcast_to", broadcastTo},
      {"party.divide", binary<[](double a, double b) { return a / b; }>},
      {"party.dropout", dropout},
      {"party.equal", binary<[](double a, double b) { return double(a == b); }>},
      {"party.greater", binary<[](double a, double b) { return double(b < a); }>},
      {"party.greater_or_equal", binary<[](double a, double b) { return double(b <= a); }>},
      {"party.maximum", binary<[](double a, double b) { return std::max(a, b); }>},
      {"party.minimum", binary<[](double a, double b) { return std::min(a, b); }>},
      {"party.multiply", binary<[](double a, double b) { return a * b; }>},
      {"party.prelu", binary<[](double x, double slope) { return x < 0 ? slope * x : x; }>},
      {"party.subtract", binary<[](double a, double b) { return a - b; }>},
      {"party.where", where},
  };
  return table;
}

// Of operands of the result's shape.
static std::vector<Tensor> addGradients(Operation *, const ReferenceResult &at, ReferenceRun &) {
  if (at.operands[0]->shape != at.operands[1]->shape)
    throw std::logic_error("there is no reference for the gradient of a sum of different shapes");
  return {at.gradient, at.gradient};
}

// dy where the result is between the bounds.
static std::vector<Tensor> gradientBetween(const ReferenceResult &at, double low, double high) {
  Tensor dx = at.gradient;
  for (int64_t i = 0; i < dx.size(); ++i)
    if (const double y = (*at.results[0])[i]; !(low < y && y < high))
      dx[i] = 0;
  return {dx};
}

static std::vector<Tensor> reluGradients(Operation *, const ReferenceResult &at, ReferenceRun &) {
  return gradientBetween(at, 0, std::numeric_limits<double>::infinity());
}

static std::vector<Tensor> clipGradients(Operation *op, const ReferenceResult &at, ReferenceRun &) {
  auto clip = cast<party::ClipOp>(op);
  return gradientBetween(at, clip.getMinimum().convertToDouble(), clip.getMaximum().convertToDouble());
}

// By the parameter of a sample's shape that op cases have before their operator.
static std::vector<Tensor> multiplyGradients(Operation *, const ReferenceResult &at, ReferenceRun &) {
  const Tensor &x = *at.operands[0], &scale = *at.operands[1];
  Tensor dx(x.shape), dscale(scale.shape);
  if (x.size() != x.shape[0] * scale.size())
    throw std::logic_error("there is no reference for the gradient of this product");
  for (int64_t i = 0; i < x.size(); ++i) {
    dx[i] = at.gradient[i] * scale[i % scale.size()];
    dscale[i % scale.size()] += at.gradient[i] * x[i];
  }
  return {dx, dscale};
}

const std::map<std::string, ReferenceGradient> &elementwiseGradients() {
  static const std::map<std::string, ReferenceGradient> table = {{"party.add", addGradients},
                                                                 {"party.clip", clipGradients},
                                                                 {"party.multiply", multiplyGradients},
                                                                 {"party.relu", reluGradients}};
  return table;
}

} // namespace partyline::ops_test
