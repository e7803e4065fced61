//===- ir/ops/store.cpp - stores into the gradient arena ------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

// gradient arena [offset...] += factor * value
static KernelCall storeKernel(Value value, std::optional<uint64_t> offset, KernelScalar factor) {
  KernelArgument slot = flatArgument(value);
  slot.value = Value();
  slot.gradientElement = int64_t(offset.value_or(0));
  return copyKernel(flatArgument(value), slot, factor);
}

StringRef StoreGradientOp::getStoredTensor() { return getName(); }

SmallVector<KernelCall> StoreGradientOp::getKernelCalls() {
  if (getInPlace())
    return {};
  return {storeKernel(getValue(), getOffset(), constantFloat(1))};
}

OpCost StoreGradientOp::getCost() { return {0, getInPlace() ? 0 : double(elementCount(getValue().getType()).fixed)}; }

LogicalResult StoreStatisticOp::verify() {
  if (getVarianceOf() && int64_t(*getVarianceOf()) < 1)
    return emitOpError("variance_of must be a positive number of values");
  return verifyFraction(*this, "rate", getRate());
}

StringRef StoreStatisticOp::getStoredTensor() { return getName(); }

std::optional<double> StoreStatisticOp::getMovingAverageRate() { return getRate().convertToDouble(); }

SmallVector<KernelCall> StoreStatisticOp::getKernelCalls() {
  KernelScalar weight = fromCall(KernelScalar::Source::sampleWeight);
  if (getVarianceOf())
    weight = {KernelScalar::Source::unbiasedWeight, double(*getVarianceOf())};
  return {storeKernel(getValue(), getOffset(), weight)};
}

OpCost StoreStatisticOp::getCost() { return {0, double(elementCount(getValue().getType()).fixed)}; }

} // namespace partyline::party
