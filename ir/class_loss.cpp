//===- ir/class_loss.cpp - losses of class labels -------------------------===//
#include "ir/class_loss.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace partyline {

LogicalResult verifyLabels(std::optional<Location> location, RankedTensorType scores, Value labels, Value weights) {
  auto labelsType = cast<RankedTensorType>(labels.getType());
  if (scores.getRank() < 2 || labelsType.getShape() != scores.getShape().drop_back())
    return emitOptionalError(location, "the loss needs scores [batch, ..., classes] and labels [batch, ...], not ",
                             scores, " and ", labelsType);
  if (weights && cast<RankedTensorType>(weights.getType()).getShape() != scores.getShape().take_back())
    return emitOptionalError(location, "the loss needs one weight for every class of ", scores, ", not ",
                             weights.getType());
  return success();
}

RankedTensorType lossesType(Value labels) {
  return floatTensor(labels.getContext(), cast<RankedTensorType>(labels.getType()).getShape());
}

LogicalResult verifyReduction(Operation *op, StringRef reduction) {
  if (reduction != "mean" && reduction != "none" && reduction != "sum")
    return op->emitOpError("has the reduction '") << reduction << "'; it must be mean, none or sum";
  return success();
}

KernelCall classLossKernel(StringRef family, int64_t classes, std::optional<int64_t> ignoreIndex, Value weights) {
  KernelCall call;
  call.kernel = {
      family.str(),
      {{"channels", classes}, {"weighted", int64_t(bool(weights))}, {"ignores", int64_t(ignoreIndex.has_value())}}};
  if (ignoreIndex)
    call.scalars.push_back(constantInt(*ignoreIndex));
  return call;
}

void addLabelArguments(KernelCall &call, Value labels, Value weights) {
  call.arguments.push_back(flatArgument(labels));
  if (weights)
    call.arguments.push_back(flatArgument(weights));
}

// The optional input 2: one constant for every class. Weights that are no weights would turn the loss around.
static Value importWeights(OnnxNodeImporter &importer, int64_t classes) {
  if (!importer.hasInput(2))
    return {};
  auto shape = importer.constantShape(2);
  auto values = importer.constantFloats(2);
  if (!shape || !values)
    importer.unsupported("its class weights are not constant");
  if (*shape != std::vector<int64_t>{classes})
    importer.unsupported("it has " + std::to_string(values->size()) + " class weights for " + std::to_string(classes) +
                         " classes");
  for (double weight : *values)
    if (!std::isfinite(weight) || weight < 0)
      importer.unsupported("its class weights must be finite and not negative");
  return importer.data(2);
}

ImportedClassLoss importClassLoss(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  auto type = importer.typeOf(input);
  const int64_t rank = type.getRank();
  if (rank < 2 || !type.isDynamicDim(0))
    importer.unsupported("its scores must be [batch, classes, ...]");
  if (rank > 5)
    importer.unsupported("only scores of rank 5 or less can be trained");
  const std::string reduction = importer.stringAttribute("reduction").value_or("mean");
  if (reduction != "mean" && reduction != "none" && reduction != "sum")
    importer.unsupported("the reduction '" + reduction + "' is none of mean, none and sum");
  ImportedClassLoss result;
  result.reduction = importer.builder.getStringAttr(reduction);
  if (auto ignored = importer.intAttribute("ignore_index")) {
    if (*ignored != int32_t(*ignored))
      importer.unsupported("ignore_index " + std::to_string(*ignored) + " is no 32-bit number");
    result.ignoreIndex = importer.builder.getI64IntegerAttr(*ignored);
  }
  result.scores = input;
  if (SmallVector<int64_t> permutation = toChannelsLast(rank); !permutation.empty())
    result.scores = importer.builder.create<party::TransposeOp>(importer.location, input, permutation);
  result.labels = importer.labels(1, importer.typeOf(result.scores).getShape().drop_back());
  result.weights = importWeights(importer, type.getDimSize(1));
  return result;
}

} // namespace partyline
