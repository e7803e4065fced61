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

ReferenceGradient findReferenceGradient(StringRef operation) {
  for (const auto *family :
       {&elementwiseGradients(), &linearGradients(), &poolingGradients(), &normalisationGradients(), &shapeGradients()})
    if (auto entry = family->find(operation.str()); entry != family->end())
      return entry->second;
  return nullptr;
}

static Tensor labelsOf(const Batch &batch, const Shape &shape) {
  return Tensor(shape, std::vector<float>(batch.labels.begin(), batch.labels.end()));
}

// The value of which the loss is computed: the scores behind the output where it absorbs what comes after them.
static Value scoresBehind(const TrainingOptions &training, Value output) {
  auto sigmoid = output.getDefiningOp<party::SigmoidOp>();
  if (training.loss == "bce" && sigmoid)
    return sigmoid.getInput();
  while (training.loss == "cross_entropy" &&
         isa_and_nonnull<party::SoftmaxOp, party::LogSoftmaxOp>(output.getDefiningOp()))
    output = output.getDefiningOp()->getOperand(0);
  return output;
}

static Tensor lossesOf(const TrainingOptions &training, const Tensor &scores, const Batch &batch) {
  if (training.loss == "mse")
    return meanSquaredError(scores, batch.targets);
  if (training.loss == "bce")
    return binaryCrossEntropy(scores, batch.targets);
  return crossEntropy(scores, labelsOf(batch, {batch.size()}), training.labelSmoothing);
}

static Tensor gradientOfLoss(const TrainingOptions &training, const Tensor &scores, const Batch &batch) {
  if (training.loss == "mse")
    return meanSquaredErrorGradient(scores, batch.targets);
  if (training.loss == "cross_entropy")
    return crossEntropyGradient(scores, labelsOf(batch, {batch.size()}), training.labelSmoothing);
  throw std::logic_error("there is no gradient of the loss " + training.loss);
}

static void roundToFloat(Tensor &tensor) {
  for (double &value : tensor.data)
    value = float(value);
}

static Operands pointers(ValueRange values, Values &tensors) {
  Operands result;
  for (Value value : values)
    result.push_back(&tensors[value.getAsOpaquePointer()]);
  return result;
}

static OperandRange returnedBy(const Model &model) {
  return model.function().getBody().front().getTerminator()->getOperands();
}

Values interpretValues(const Model &model, ReferenceRun &run) {
  run.batchNorm = model.training.batchNorm;
  Block &block = model.function().getBody().front();
  Values tensors;
  tensors[block.getArgument(0).getAsOpaquePointer()] = run.batch.inputs;
  if (block.getNumArguments() > 2) {
    Shape shape = sampleShapeOf(block.getArgument(2));
    shape.insert(shape.begin(), run.batch.size());
    tensors[block.getArgument(2).getAsOpaquePointer()] = labelsOf(run.batch, shape);
  }
  for (Operation &op : block.without_terminator()) {
    ReferenceOp compute = findReference(op.getName().getStringRef());
    if (!compute)
      throw std::logic_error("there is no reference for " + op.getName().getStringRef().str());
    std::vector<Tensor> results = compute(&op, pointers(op.getOperands(), tensors), run);
    for (size_t i = 0; i < results.size(); ++i) {
      if (run.inFloat)
        roundToFloat(results[i]);
      tensors[op.getResult(unsigned(i)).getAsOpaquePointer()] = std::move(results[i]);
    }
  }
  return tensors;
}

ReferenceAnswers interpret(const Model &model, ReferenceRun &run) {
  Values tensors = interpretValues(model, run);
  const Value output = returnedBy(model).back(), scores = scoresBehind(model.training, output);
  if (returnedBy(model).size() > 1)
    return {tensors[output.getAsOpaquePointer()], tensors[returnedBy(model).front().getAsOpaquePointer()]};
  return {tensors[output.getAsOpaquePointer()],
          lossesOf(model.training, tensors[scores.getAsOpaquePointer()], run.batch)};
}

static void addTo(Tensor &sum, Tensor term, bool inFloat) {
  if (sum.size() == 0)
    sum = std::move(term);
  else
    for (int64_t i = 0; i < sum.size(); ++i)
      sum[i] += term[i];
  if (inFloat)
    roundToFloat(sum);
}

std::map<std::string, Tensor> interpretGradients(const Model &model, ReferenceRun &run) {
  Values tensors = interpretValues(model, run), gradients;
  const Value scores = scoresBehind(model.training, returnedBy(model).back());
  addTo(gradients[scores.getAsOpaquePointer()],
        gradientOfLoss(model.training, tensors[scores.getAsOpaquePointer()], run.batch), run.inFloat);
  std::map<std::string, Tensor> ofParameters;
  for (Operation &op : llvm::reverse(model.function().getBody().front().without_terminator())) {
    auto gradient = gradients.find(op.getResult(0).getAsOpaquePointer());
    if (gradient == gradients.end())
      continue;
    if (auto parameter = dyn_cast<party::ParameterOp>(op)) {
      if (parameter.getKind() == kParameterKind)
        ofParameters[parameter.getName().str()] = gradient->second;
      continue;
    }
    ReferenceGradient compute = findReferenceGradient(op.getName().getStringRef());
    if (!compute)
      throw std::logic_error("there is no reference for the gradient of " + op.getName().getStringRef().str());
    const ReferenceResult at{pointers(op.getOperands(), tensors), pointers(op.getResults(), tensors), gradient->second};
    std::vector<Tensor> terms = compute(&op, at, run);
    for (size_t i = 0; i < terms.size(); ++i)
      if (terms[i].size() > 0)
        addTo(gradients[op.getOperand(unsigned(i)).getAsOpaquePointer()], std::move(terms[i]), run.inFloat);
    gradients.erase(op.getResult(0).getAsOpaquePointer());
  }
  return ofParameters;
}

Tensor sumsOfChannels(const Tensor &x) {
  const int64_t channels = x.shape[1], positions = x.size() / (x.shape[0] * channels);
  Tensor sums({channels});
  for (int64_t i = 0; i < x.size(); ++i)
    sums[i / positions % channels] += x[i];
  return sums;
}

} // namespace partyline::ops_test
