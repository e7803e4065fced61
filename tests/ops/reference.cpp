//===- reference.cpp ------------------------------------------------------===//
#include "tests/ops/reference.h"

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

// The loss of the value `output`, whose tensors `tensorOf` knows.
template <typename TensorOf>
static Tensor lossesOf(const TrainingOptions &training, Value output, const Batch &batch, TensorOf tensorOf) {
  Value scores = output;
  if (training.loss == "mse")
    return meanSquaredError(tensorOf(output), batch.targets);
  if (training.loss == "bce") {
    if (auto sigmoid = output.getDefiningOp<party::SigmoidOp>())
      scores = sigmoid.getInput();
    return binaryCrossEntropy(tensorOf(scores), batch.targets);
  }
  while (isa_and_nonnull<party::SoftmaxOp, party::LogSoftmaxOp>(scores.getDefiningOp()))
    scores = scores.getDefiningOp()->getOperand(0);
  return crossEntropy(tensorOf(scores), batch.labels, training.labelSmoothing);
}

ReferenceAnswers interpret(const Model &model, ReferenceRun &run) {
  run.batchNorm = model.training.batchNorm;
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
  Value output = block.getTerminator()->getOperand(0);
  return {tensorOf(output), lossesOf(model.training, output, run.batch, tensorOf)};
}

} // namespace partyline::ops_test
