//===- reference_shape.cpp - weights, reshape, transpose ------------------===//
#include "tests/ops/reference.h"

using namespace mlir;

namespace partyline::ops_test {

static std::vector<Tensor> parameter(Operation *op, const Operands &, ReferenceRun &run) {
  return {run.weights.at(cast<party::ParameterOp>(op).getName().str())};
}

static Shape shapeOf(Value value, int64_t samples) {
  Shape shape(cast<RankedTensorType>(value.getType()).getShape());
  if (!shape.empty() && ShapedType::isDynamic(shape[0]))
    shape[0] = samples;
  return shape;
}

static std::vector<Tensor> reshape(Operation *op, const Operands &operands, ReferenceRun &run) {
  Tensor result = *operands[0];
  result.shape = shapeOf(op->getResult(0), run.batch.size());
  return {result};
}

// Result dimension i is input dimension permutation[i].
static Tensor permuted(const Tensor &x, const Shape &permutation) {
  const size_t rank = permutation.size();
  Shape steps(rank, 1), shape;
  for (size_t i = rank - 1; i > 0; --i)
    steps[i - 1] = steps[i] * x.shape[i];
  for (int64_t source : permutation)
    shape.push_back(x.shape[size_t(source)]);
  Tensor y(shape);
  for (int64_t element = 0; element < y.size(); ++element) {
    int64_t place = 0;
    for (int64_t i = int64_t(rank) - 1, rest = element; i >= 0; --i) {
      place += rest % shape[size_t(i)] * steps[size_t(permutation[size_t(i)])];
      rest /= shape[size_t(i)];
    }
    y[element] = x[place];
  }
  return y;
}

static std::vector<Tensor> transpose(Operation *op, const Operands &operands, ReferenceRun &) {
  return {permuted(*operands[0], Shape(cast<party::TransposeOp>(op).getPermutation()))};
}

static std::vector<Tensor> concat(Operation *op, const Operands &operands, ReferenceRun &) {
  const auto axis = size_t(cast<party::ConcatOp>(op).getAxis());
  Shape shape = operands[0]->shape;
  int64_t outer = 1, inner = 1;
  for (size_t i = 0; i < shape.size(); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : shape[i];
  shape[axis] = 0;
  for (const Tensor *operand : operands)
    shape[axis] += operand->shape[axis];
  Tensor result(shape);
  int64_t place = 0;
  for (int64_t row = 0; row < outer; ++row)
    for (const Tensor *operand : operands) {
      const int64_t length = operand->shape[axis] * inner;
      for (int64_t i = 0; i < length; ++i)
        result[place++] = (*operand)[row * length + i];
    }
  return {result};
}

// Calls visit(place in `whole`, place in `part`) for the elements start + i * step of `whole`, `part` of them.
template <typename Visit>
static void visitPart(const Shape &whole, const Shape &part, llvm::ArrayRef<int64_t> starts,
                      llvm::ArrayRef<int64_t> steps, Visit visit) {
  int64_t count = 1;
  for (int64_t extent : part)
    count *= extent;
  for (int64_t element = 0; element < count; ++element) {
    int64_t place = 0, stride = 1;
    for (int64_t i = int64_t(whole.size()) - 1, rest = element; i >= 0; --i) {
      place += (starts[size_t(i)] + rest % part[size_t(i)] * steps[size_t(i)]) * stride;
      rest /= part[size_t(i)];
      stride *= whole[size_t(i)];
    }
    visit(place, element);
  }
}

static std::vector<Tensor> slice(Operation *op, const Operands &operands, ReferenceRun &run) {
  auto part = cast<party::SliceOp>(op);
  Tensor result(shapeOf(part.getResult(), run.batch.size()));
  visitPart(operands[0]->shape, result.shape, part.getStarts(), part.getSteps(),
            [&](int64_t from, int64_t to) { result[to] = (*operands[0])[from]; });
  return {result};
}

static std::vector<Tensor> pad(Operation *op, const Operands &operands, ReferenceRun &run) {
  auto padded = cast<party::PadOp>(op);
  Tensor result(shapeOf(padded.getResult(), run.batch.size()));
  std::fill(result.data.begin(), result.data.end(), padded.getValue().convertToDouble());
  Shape steps;
  for (int64_t interior : padded.getInterior())
    steps.push_back(interior + 1);
  visitPart(result.shape, operands[0]->shape, padded.getLow(), steps,
            [&](int64_t to, int64_t from) { result[to] = (*operands[0])[from]; });
  return {result};
}

// Every element is added to the one that broadcasts to its place.
static std::vector<Tensor> sumTo(Operation *op, const Operands &operands, ReferenceRun &run) {
  const Tensor &x = *operands[0];
  Tensor y(shapeOf(op->getResult(0), run.batch.size()));
  const size_t missing = x.shape.size() - y.shape.size();
  for (int64_t element = 0; element < x.size(); ++element) {
    int64_t place = 0, stride = 1;
    for (int64_t i = int64_t(x.shape.size()) - 1, rest = element; i >= int64_t(missing); --i) {
      const int64_t extent = y.shape[size_t(i) - missing];
      place += (extent == 1 ? 0 : rest % x.shape[size_t(i)]) * stride;
      rest /= x.shape[size_t(i)];
      stride *= extent;
    }
    y[place] += x[element];
  }
  return {y};
}

const std::map<std::string, ReferenceOp> &shapeReference() {
  static const std::map<std::string, ReferenceOp> table = {{"party.parameter", parameter},
                                                           {"party.reshape", reshape},
                                                           {"party.transpose", transpose},
                                                           {"party.concat", concat},
                                                           {"party.slice", slice},
                                                           {"party.sum_to", sumTo},
                                                           {"party.pad", pad}};
  return table;
}

static std::vector<Tensor> reshapeGradients(Operation *, const ReferenceResult &at, ReferenceRun &) {
  Tensor dx = at.gradient;
  dx.shape = at.operands[0]->shape;
  return {dx};
}

static std::vector<Tensor> transposeGradients(Operation *op, const ReferenceResult &at, ReferenceRun &) {
  const Shape permutation(cast<party::TransposeOp>(op).getPermutation());
  Shape inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[size_t(permutation[i])] = int64_t(i);
  return {permuted(at.gradient, inverse)};
}

static std::vector<Tensor> concatGradients(Operation *op, const ReferenceResult &at, ReferenceRun &) {
  const auto axis = size_t(cast<party::ConcatOp>(op).getAxis());
  std::vector<Tensor> gradients;
  Shape start(at.gradient.shape.size(), 0);
  for (const Tensor *operand : at.operands) {
    Tensor part(operand->shape);
    visitPart(at.gradient.shape, part.shape, start, Shape(start.size(), 1),
              [&](int64_t whole, int64_t element) { part[element] = at.gradient[whole]; });
    start[axis] += operand->shape[axis];
    gradients.push_back(std::move(part));
  }
  return gradients;
}

static std::vector<Tensor> sliceGradients(Operation *op, const ReferenceResult &at, ReferenceRun &) {
  auto part = cast<party::SliceOp>(op);
  Tensor dx(at.operands[0]->shape);
  visitPart(dx.shape, at.gradient.shape, part.getStarts(), part.getSteps(),
            [&](int64_t whole, int64_t element) { dx[whole] = at.gradient[element]; });
  return {dx};
}

const std::map<std::string, ReferenceGradient> &shapeGradients() {
  static const std::map<std::string, ReferenceGradient> table = {{"party.concat", concatGradients},
                                                                 {"party.reshape", reshapeGradients},
                                                                 {"party.slice", sliceGradients},
                                                                 {"party.transpose", transposeGradients}};
  return table;
}

} // namespace partyline::ops_test
