//===- ir/ops/parameter.cpp - a tensor of the weight arena ----------------===//
#include "ir/layouts.h"
#include "ir/op_helpers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partyline::party {

// The elements of a shape; nothing where that is no number.
static std::optional<int64_t> countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (extent < 1 || llvm::MulOverflow(count, extent, count))
      return std::nullopt;
  return count;
}

LogicalResult ParameterOp::verify() {
  if (getKind() != kParameterKind && getKind() != kStateKind && getKind() != kConstantKind)
    return emitOpError("kind must be parameter, state or constant");
  if (!getType().hasStaticShape())
    return emitOpError("must have a static shape");
  if (getView().has_value() != getPermutation().has_value())
    return emitOpError("view and permutation belong together");
  int64_t elements = elementCount(getType()).fixed;
  if (countOf(getOnnxShape()) != elements)
    return emitOpError("onnx_shape has not as many elements as ") << getType();
  if (getView() && countOf(*getView()) != elements)
    return emitOpError("view has not as many elements as ") << getType();
  if (getView() && (getView()->size() != getPermutation()->size() || !isPermutation(*getPermutation())))
    return emitOpError("permutation is none of the dimensions of view");
  return success();
}

} // namespace partyline::party
