//===- ir/ops/store.cpp - stores into the gradient arena ------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

// gradient arena [offset...] += factor * value
static KernelCall storeKernel(Value value, std::optional<uint64_t> offset, KernelScalar factor) {
  KernelCall call;
  call.kernel = {"copy", {{"rank", int64_t(1)}, {"x_inner", std::string("1")}}};
  call.scalars = {factor, fromCall(KernelScalar::Source::accumulate)};
  KernelArgument slot = flatArgument(value);
  slot.value = Value();
  slot.gradientElement = int64_t(offset.value_or(0));
  call.arguments = {flatArgument(value), slot, slot};
  return call;
}

StringRef StoreGradientOp::getStoredTensor() { return getName(); }

SmallVector<KernelCall> StoreGradientOp::getKernelCalls() {
  if (getInPlace())
    return {};
  return {storeKernel(getValue(), getOffset(), constantFloat(1))};
}

OpCost StoreGradientOp::getCost() { return {0, getInPlace() ? 0 : double(elementCount(getValue().getType()).fixed)}; }

LogicalResult StoreStatisticOp::verify() { return verifyFraction(*this, "rate", getRate()); }

StringRef StoreStatisticOp::getStoredTensor() { return getName(); }

std::optional<double> StoreStatisticOp::getMovingAverageRate() { return getRate().convertToDouble(); }

SmallVector<KernelCall> StoreStatisticOp::getKernelCalls() {
  return {storeKernel(getValue(), getOffset(), fromCall(KernelScalar::Source::sampleWeight))};
}

OpCost StoreStatisticOp::getCost() { return {0, double(elementCount(getValue().getType()).fixed)}; }

} // namespace partyline::party
