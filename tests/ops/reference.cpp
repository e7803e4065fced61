//===- reference.cpp ------------------------------------------------------===//
#include "tests/ops/reference.h"

#include <stdexcept>

using namespace mlir;

namespace partyline::ops_test {

ReferenceOp findReference(StringRef operation) {
  for (const auto *family : {&elementwiseReference(), &unaryReference(), &linearReference(), &poolingReference(),
                             &normalisationReference(), &shapeReference(), &lossReference()})
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
  const Tensor labels({batch.size()}, std::vector<float>(batch.labels.begin(), batch.labels.end()));
  return crossEntropy(tensorOf(scores), labels, training.labelSmoothing);
}

ReferenceAnswers interpret(const Model &model, ReferenceRun &run) {
  Block &block = model.function().getBody().front();
  std::map<const void *, Tensor> tensors; // a map: operands point into it
  auto tensorOf = [&](Value value) -> Tensor & { return tensors[value.getAsOpaquePointer()]; };
  tensorOf(block.getArgument(0)) = run.batch.inputs;
  if (block.getNumArguments() > 2) {
    Shape shape = sampleShapeOf(block.getArgument(2));
    shape.insert(shape.begin(), run.batch.size());
    const std::vector<int32_t> &labels = run.batch.labels;
    tensorOf(block.getArgument(2)) = Tensor(shape, std::vector<float>(labels.begin(), labels.end()));
  }
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
  OperandRange returned = block.getTerminator()->getOperands();
  Value output = returned.back();
  if (returned.size() > 1)
    return {tensorOf(output), tensorOf(returned.front())};
  return {tensorOf(output), lossesOf(model.training, output, run.batch, tensorOf)};
}

} // namespace partyline::ops_test
