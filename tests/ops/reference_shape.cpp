//===- reference_shape.cpp - weights, reshape, transpose ------------------===//
#include "tests/ops/reference.h"

using namespace mlir;

namespace partyline::ops_test {

static std::vector<Tensor> parameter(Operation *op, const Operands &, ReferenceRun &run) {
  return {run.weights.at(cast<party::ParameterOp>(op).getName().str())};
}

static std::vector<Tensor> reshape(Operation *op, const Operands &operands, ReferenceRun &run) {
  Tensor result = *operands[0];
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  result.shape.assign(type.getShape().begin(), type.getShape().end());
  if (type.isDynamicDim(0))
    result.shape[0] = run.batch.size();
  return {result};
}

// Result dimension i is input dimension permutation[i].
static std::vector<Tensor> transpose(Operation *op, const Operands &operands, ReferenceRun &) {
  const Tensor &x = *operands[0];
  const Shape permutation(cast<party::TransposeOp>(op).getPermutation());
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
  return {y};
}

const std::map<std::string, ReferenceOp> &shapeReference() {
  static const std::map<std::string, ReferenceOp> table = {
      {"party.parameter", parameter}, {"party.reshape", reshape}, {"party.transpose", transpose}};
  return table;
}

} // namespace partyline::ops_test
