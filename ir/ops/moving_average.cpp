//===- ir/ops/moving_average.cpp - the update of running statistics -------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

LogicalResult MovingAverageOp::verify() { return verifyFraction(*this, "rate", getRate()); }

UpdateKernelCall MovingAverageOp::getUpdateKernel() {
  return {{"moving_average", {}},
          {constantFloat(getRate().convertToDouble())},
          {UpdateKernelCall::gradient, UpdateKernelCall::weight, UpdateKernelCall::weight}};
}

} // namespace partyline::party
