//===- ir/ops/parameter.cpp - a tensor of the weight arena ----------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

LogicalResult ParameterOp::verify() {
  if (getKind() != kParameterKind && getKind() != kStateKind && getKind() != kConstantKind)
    return emitOpError("kind must be parameter, state or constant");
  if (!getType().hasStaticShape())
    return emitOpError("must have a static shape");
  if (getView().has_value() != getPermutation().has_value())
    return emitOpError("view and permutation belong together");
  if (getView() && getView()->size() != getPermutation()->size())
    return emitOpError("view and permutation must have the same length");
  return success();
}

} // namespace partyline::party
