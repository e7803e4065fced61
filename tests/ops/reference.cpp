//===- reference.cpp ------------------------------------------------------===//
#include "tests/ops/reference.h"

#include <cmath>
#include <stdexcept>

using namespace mlir;

namespace partyline::ops_test {

ReferenceOp findReference(StringRef operation) {
  for (const auto *family : {&elementwiseReference(), &unaryReference(), &linearReference(), &poolingReference(),
                             &normalisationReference(), &shapeReference()})
    if (auto entry = family->find(operation.str()); entry != family->end())
      return entry->second;
  return nullptr;
}

Tensor crossEntropy(const Tensor &scores, const std::vector<int32_t> &labels) {
  const int64_t classes = scores.shape[1];
  Tensor losses(Shape{scores.shape[0]});
  for (int64_t n = 0; n < losses.size(); ++n) {
    double largest = scores[n * classes], sum = 0;
    for (int64_t c = 1; c < classes; ++c)
      largest = std::max(largest, scores[n * classes + c]);
    for (int64_t c = 0; c < classes; ++c)
      sum += std::exp(scores[n * classes + c] - largest);
    losses[n] = std::log(sum) + largest - scores[n * classes + labels[size_t(n)]];
  }
  return losses;
}

ReferenceAnswers interpret(const Model &model, ReferenceRun &run) {
  Block &block = model.function().getBody().front();
  std::map<const void *, Tensor> tensors; // a map: operands point into it
  auto tensorOf = [&](Value value) -> Tensor & { return tensors[value.getAsOpaquePointer()]; };
  tensorOf(block.getArgument(0)) = run.batch.inputs;
  for (Operation &op : block.without_terminator()) {
    ReferenceOp compute = findReference(op.getName().getStringRef());
    if (!compute)
      throw std::logic_error("there is no reference for " + op.getName().getStringRef().str());
    Operands operands;
    for (Value operand : op.getOperands())
      operands.push_back(&tensorOf(operand));
    std::vector<Tensor> results = compute(&op, operands, run);
    for (size_t i = 0; i < results.size(); ++i)
      tensorOf(op.getResult(unsigned(i))) = std::move(results[i]);
  }
  Value output = block.getTerminator()->getOperand(0), scores = output;
  while (isa_and_nonnull<party::SoftmaxOp, party::LogSoftmaxOp>(scores.getDefiningOp()))
    scores = scores.getDefiningOp()->getOperand(0);
  return {tensorOf(output), crossEntropy(tensorOf(scores), run.batch.labels)};
}

} // namespace partyline::ops_test
