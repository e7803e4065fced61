//===- ir/ops/sum_to.cpp - the sum that undoes a broadcast ----------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

// The dimensions to reduce: an attribute at first, an input later; all where there are none.
static SmallVector<bool> importReduced(OnnxNodeImporter &importer, RankedTensorType type) {
  std::optional<std::vector<int64_t>> axes = importer.intsAttribute("axes");
  if (importer.hasInput(1) && !(axes = importer.constantInts(1)))
    importer.unsupported("the axes are not constant");
  bool all = !axes || axes->empty();
  SmallVector<bool> reduced(type.getRank(), all && !importer.intOr("noop_with_empty_axes", 0));
  if (!all)
    for (int64_t axis : *axes)
      reduced[importAxis(importer, axis, type.getRank())] = true;
  if (type.getRank() > 0 && type.isDynamicDim(0) && reduced[0])
    importer.unsupported("the batch cannot be reduced");
  return reduced;
}

// Sums, or sums over the number of their terms.
static void importReduction(OnnxNodeImporter &importer, Value input, ArrayRef<bool> reduced, bool isMean) {
  RankedTensorType type = importer.typeOf(input);
  SmallVector<int64_t> kept, left; // with extents of 1, and without
  int64_t count = 1;
  for (auto [isReduced, extent] : llvm::zip_equal(reduced, type.getShape())) {
    kept.push_back(isReduced ? 1 : extent);
    if (!isReduced)
      left.push_back(extent);
    else
      count *= extent;
  }
  OpBuilder &builder = importer.builder;
  Value result = input;
  if (auto keptType = floatTensor(builder.getContext(), kept); keptType != type) {
    if (!canSumTo(type, keptType))
      importer.unsupported("it reduces too many dimensions in turn");
    result = builder.create<SumToOp>(importer.location, keptType, input);
  }
  if (isMean && count > 1)
    result = builder.create<ScaleOp>(importer.location, result, APFloat(1.0 / double(count)));
  if (!importer.intOr("keepdims", 1))
    result = builder.createOrFold<ReshapeOp>(importer.location, floatTensor(builder.getContext(), left), result);
  importer.setOutput(0, result);
}

void importReduceSum(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  importReduction(importer, input, importReduced(importer, importer.typeOf(input)), false);
}

// The mean over all positions of an image is global pooling, which has a channels-last form.
void importReduceMean(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  RankedTensorType type = importer.typeOf(input);
  SmallVector<bool> reduced = importReduced(importer, type);
  bool isGlobalPool = type.getRank() >= 3;
  for (int64_t i = 0; i < type.getRank(); ++i)
    isGlobalPool &= reduced[i] == (i >= 2);
  if (!isGlobalPool)
    return importReduction(importer, input, reduced, true);
  OpBuilder &builder = importer.builder;
  Value mean = builder.create<GlobalAveragePoolOp>(importer.location, input, false);
  if (!importer.intOr("keepdims", 1))
    mean = builder.create<ReshapeOp>(importer.location,
                                     floatTensor(builder.getContext(), type.getShape().take_front(2)), mean);
  importer.setOutput(0, mean);
}

SmallVector<Value> SumToOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<BroadcastToOp>(getLoc(), getInput().getType(), gradients[0])};
}

LogicalResult SumToOp::verify() { return verifySumTo(*this); }

SmallVector<KernelCall> SumToOp::getKernelCalls() { return {sumToKernel(*this, 1)}; }

} // namespace partyline::party
