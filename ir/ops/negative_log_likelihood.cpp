//===- ir/ops/negative_log_likelihood.cpp - minus the label's logarithm ---===//
#include "ir/class_loss.h"

using namespace mlir;

namespace partyline::party {

void importNegativeLogLikelihoodLoss(OnnxNodeImporter &importer) {
  const ImportedClassLoss loss = importClassLoss(importer);
  importer.setLoss(importer.builder.create<NegativeLogLikelihoodOp>(importer.location, loss.scores, loss.labels,
                                                                    loss.weights, loss.ignoreIndex, loss.reduction));
}

LogicalResult NegativeLogLikelihoodOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  types.push_back(lossesType(adaptor.getLabels()));
  return verifyLabels(location, cast<RankedTensorType>(adaptor.getLogarithms().getType()), adaptor.getLabels(),
                      adaptor.getWeights());
}

LogicalResult NegativeLogLikelihoodOp::verify() { return verifyReduction(*this, getReduction()); }

LossReduction NegativeLogLikelihoodOp::getLossReduction() {
  return {getReduction().str(), getIgnoreIndex(), getWeights()};
}

SmallVector<Value> NegativeLogLikelihoodOp::buildGradient(OpBuilder &builder, ValueRange) {
  SmallVector<Value> gradients(getNumOperands());
  gradients[0] = builder.create<NegativeLogLikelihoodGradientOp>(
      getLoc(), getLabels(), getWeights(), builder.getI64IntegerAttr(getLogarithms().getType().getShape().back()),
      getIgnoreIndexAttr());
  return gradients;
}

SmallVector<KernelCall> NegativeLogLikelihoodOp::getKernelCalls() {
  KernelCall call = classLossKernel("negative_log_likelihood", getLogarithms().getType().getShape().back(),
                                    getIgnoreIndex(), getWeights());
  call.arguments = {matrixArgument(getLogarithms())};
  addLabelArguments(call, getLabels(), getWeights());
  call.arguments.push_back(flatArgument(getLoss()));
  return {call};
}

OpCost NegativeLogLikelihoodOp::getCost() { return elementwiseCost(*this); }

LogicalResult NegativeLogLikelihoodGradientOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                                                Adaptor adaptor, SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape(lossesType(adaptor.getLabels()).getShape());
  shape.push_back(int64_t(adaptor.getClasses()));
  types.push_back(floatTensor(context, shape));
  return verifyLabels(location, cast<RankedTensorType>(types.back()), adaptor.getLabels(), adaptor.getWeights());
}

SmallVector<KernelCall> NegativeLogLikelihoodGradientOp::getKernelCalls() {
  KernelCall call =
      classLossKernel("negative_log_likelihood_gradient", int64_t(getClasses()), getIgnoreIndex(), getWeights());
  call.scalars.insert(call.scalars.begin(), fromCall(KernelScalar::Source::scale));
  addLabelArguments(call, getLabels(), getWeights());
  call.arguments.push_back(matrixArgument(getLogarithmsGradient()));
  return {call};
}

} // namespace partyline::party
