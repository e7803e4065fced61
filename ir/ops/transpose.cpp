//===- ir/ops/transpose.cpp - transposition -------------------------------===//
#include "ir/layouts.h"
#include "ir/op_helpers.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace partyline::party {

void importTranspose(OnnxNodeImporter &importer) {
  const bool merged = importer.batchIsMerged(0);
  Value input = merged ? importer.mergedData(0) : importer.data(0);
  auto type = importer.typeOf(input);
  const int64_t rank = type.getRank() - (merged ? 1 : 0);
  SmallVector<int64_t> permutation;
  if (auto perm = importer.intsAttribute("perm"))
    permutation.assign(perm->begin(), perm->end());
  else
    for (int64_t i = rank - 1; i >= 0; --i)
      permutation.push_back(i);
  if (int64_t(permutation.size()) != rank || !isPermutation(permutation))
    importer.unsupported("perm is no permutation of the input's dimensions");
  if (type.getRank() > 5)
    importer.unsupported("only rank 5 or less can be transposed");
  if (type.isDynamicDim(0) && permutation[0] != 0)
    importer.unsupported("the batch must stay the first dimension");
  if (merged) { // the two dimensions that are one for ONNX stay where they are
    for (int64_t &axis : permutation)
      ++axis;
    permutation.insert(permutation.begin(), 0);
  }
  Value result = importer.builder.createOrFold<TransposeOp>(importer.location, input, permutation);
  if (merged)
    importer.setMergedOutput(0, result);
  else
    importer.setOutput(0, result);
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (int64_t(permutation.size()) != type.getRank() || !isPermutation(permutation))
    return emitOptionalError(location, "permutation is none of the dimensions of ", type);
  if (!type.hasStaticShape() && permutation.front() != 0)
    return emitOptionalError(location, "the batch must stay the first dimension");
  types.push_back(RankedTensorType::get(applyPermutation(type.getShape(), permutation), type.getElementType()));
  return success();
}

SmallVector<Value> TransposeOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<TransposeOp>(getLoc(), gradients[0], inversePermutation(getPermutation()))};
}

SmallVector<KernelCall> TransposeOp::getKernelCalls() {
  KernelArgument source = denseArgument(getInput()), result = denseArgument(getResult());
  int64_t rank = getType().getRank();
  // Result dimension i walks along input dimension permutation[i]; both lists are innermost first.
  KernelArgument walked{getInput(), {}};
  for (int64_t i = rank - 1; i >= 0; --i)
    walked.dimensions.push_back(source.dimensions[rank - 1 - getPermutation()[i]]);
  return {copyKernel(walked, result)};
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  for (auto [i, source] : llvm::enumerate(getPermutation()))
    if (int64_t(i) != source)
      return {};
  return getInput();
}

// transpose(transpose(x)) = transpose(x)
static LogicalResult mergeTransposes(TransposeOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<TransposeOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<TransposeOp>(op, inner.getInput(),
                                           applyPermutation(inner.getPermutation(), op.getPermutation()));
  return success();
}

// A transposition that moves only dimensions of extent 1 is a reshape.
static LogicalResult transposeToReshape(TransposeOp op, PatternRewriter &rewriter) {
  if (!movesOnlyOnes(op.getInput().getType().getShape(), op.getPermutation()))
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
  return success();
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(mergeTransposes);
  patterns.add(transposeToReshape);
}

} // namespace partyline::party
