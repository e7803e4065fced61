//===- ir/ops/reshape.cpp - another view of the same memory ---------------===//
#include "ir/op_helpers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partyline::party {

// Reshapes the node's input to `shape`, where kBatch stands for the batch and -1 for what is left.
static void importAs(OnnxNodeImporter &importer, Value input, SmallVector<int64_t> shape) {
  auto type = importer.typeOf(input);
  bool batched = type.getRank() > 0 && type.isDynamicDim(0);
  BufferDimension count = elementCount(type);
  int64_t elements = batched ? count.perSample : count.fixed; // per sample where there is a batch

  // A leading -1 on a batched tensor is the batch, where the rest of the shape is one sample.
  int64_t rest = 1, inferred = -1, mergedWithBatch = 0;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (size == -1 && inferred >= 0)
      importer.unsupported("the shape has more than one -1");
    if (size == -1)
      inferred = i;
    else if (size != kBatch && (size < 0 || llvm::MulOverflow(rest, size, rest)))
      importer.unsupported("dimension " + std::to_string(i) + " of the shape, " + std::to_string(size) +
                           ", is out of range");
  }
  if (inferred >= 0) {
    bool hasBatch = llvm::is_contained(shape, kBatch);
    if (batched && !hasBatch && inferred == 0 && rest == elements)
      shape[0] = kBatch;
    else if (batched && !hasBatch && inferred == 0 && rest > 0 && elements % rest == 0)
      mergedWithBatch = elements / rest; // the batch times this
    else if (rest == 0 || elements % rest != 0 || (batched && !hasBatch))
      importer.unsupported("the shape does not keep the batch as its first dimension");
    else
      shape[inferred] = elements / rest;
  }
  if (mergedWithBatch) {
    shape[0] = mergedWithBatch;
    shape.insert(shape.begin(), kBatch);
  }
  // Where a file has a fixed batch, it stands here as a number: what the elements of one sample leave.
  if (batched && inferred < 0 && !llvm::is_contained(shape, kBatch) && shape.size() > 0 && rest == shape[0] * elements)
    shape[0] = kBatch;
  for (auto [i, size] : llvm::enumerate(shape))
    if ((size == kBatch) != (batched && i == 0))
      importer.unsupported("the shape does not keep the batch as its first dimension; export the model with a dynamic "
                           "batch");
  auto result = floatTensor(importer.builder.getContext(), shape);
  BufferDimension resultCount = elementCount(result);
  if (resultCount.perSample != count.perSample || resultCount.fixed != count.fixed)
    importer.unsupported("the shape has another number of elements than the input");
  Value reshaped = importer.builder.createOrFold<ReshapeOp>(importer.location, result, input);
  if (mergedWithBatch)
    importer.setMergedOutput(0, reshaped);
  else
    importer.setOutput(0, reshaped);
}

void importReshape(OnnxNodeImporter &importer) {
  auto shape = importer.shape(1);
  if (!shape)
    importer.unsupported("the shape is not constant");
  const bool merged = importer.batchIsMerged(0);
  Value input = merged ? importer.mergedData(0) : importer.data(0);
  auto type = importer.typeOf(input);
  SmallVector<int64_t> target(shape->begin(), shape->end());
  if (!importer.intOr("allowzero", 0))
    for (auto [i, size] : llvm::enumerate(target))
      if (size == 0) {
        const int64_t copied = int64_t(i) + (merged ? 1 : 0);
        if (copied >= type.getRank())
          importer.unsupported("the shape copies a dimension that the input lacks");
        size = merged && i == 0 ? -1 : type.getDimSize(copied);
      }
  importAs(importer, input, target);
}

void importFlatten(OnnxNodeImporter &importer) {
  auto type = importer.typeOf(importer.data(0));
  if (importAxis(importer, importer.intOr("axis", 1), type.getRank()) != 1)
    importer.unsupported("axis must be 1: the batch stays the first dimension");
  importAs(importer, importer.data(0), {type.getDimSize(0), collapsedExtent(type, 1, type.getRank()).fixed});
}

// The axes of Squeeze and Unsqueeze: an attribute until opset 12, an input since.
static std::optional<std::vector<int64_t>> importAxes(OnnxNodeImporter &importer) {
  if (importer.hasInput(1)) {
    auto axes = importer.constantInts(1);
    if (!axes)
      importer.unsupported("the axes are not constant");
    return axes;
  }
  return importer.intsAttribute("axes");
}

void importSqueeze(OnnxNodeImporter &importer) {
  auto type = importer.typeOf(importer.data(0));
  auto axes = importAxes(importer);
  SmallVector<bool> drop(type.getRank(), false);
  if (!axes)
    for (int64_t i = 0; i < type.getRank(); ++i)
      drop[i] = type.getDimSize(i) == 1;
  else
    for (int64_t axis : *axes) {
      int64_t own = axis < 0 ? axis + type.getRank() : axis;
      if (own < 0 || own >= type.getRank() || type.getDimSize(own) != 1)
        importer.unsupported("axis " + std::to_string(axis) + " has not the extent 1");
      drop[own] = true;
    }
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!drop[i])
      shape.push_back(type.getDimSize(i));
  importAs(importer, importer.data(0), shape);
}

void importUnsqueeze(OnnxNodeImporter &importer) {
  auto type = importer.typeOf(importer.data(0));
  auto axes = importAxes(importer);
  if (!axes)
    importer.unsupported("the axes are missing");
  int64_t rank = type.getRank() + int64_t(axes->size());
  SmallVector<bool> added(rank, false);
  for (int64_t axis : *axes) {
    int64_t own = axis < 0 ? axis + rank : axis;
    if (own < 0 || own >= rank || added[own])
      importer.unsupported("axis " + std::to_string(axis) + " is out of range or given twice");
    added[own] = true;
  }
  SmallVector<int64_t> shape;
  for (int64_t i = 0, next = 0; i < rank; ++i)
    shape.push_back(added[i] ? 1 : type.getDimSize(next++));
  importAs(importer, importer.data(0), shape);
}

void importIdentity(OnnxNodeImporter &importer) { importer.setOutput(0, importer.data(0)); }

LogicalResult ReshapeOp::verify() {
  auto from = elementCount(getInput().getType()), to = elementCount(getType());
  if (from.perSample != to.perSample || from.fixed != to.fixed)
    return emitOpError("changes the number of elements");
  return success();
}

SmallVector<Value> ReshapeOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<ReshapeOp>(getLoc(), getInput().getType(), gradients[0])};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

// reshape(reshape(x)) = reshape(x)
static LogicalResult mergeReshapes(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<ReshapeOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getInput());
  return success();
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(mergeReshapes); }

} // namespace partyline::party
