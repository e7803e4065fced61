//===- ir/ops/batch_matmul.cpp - products of matrices, one by one ---------===//
#include "ir/broadcast.h"

#include <numeric>

using namespace mlir;

namespace partyline::party {

// Rows of anything times one matrix are a product of their own; all other matrices are multiplied one by one, those of
// an operand that has fewer of them repeated.
void importMatMul(OnnxNodeImporter &importer) {
  Value lhs = importer.data(0), rhs = importer.parameter(1);
  RankedTensorType left = importer.typeOf(lhs), right = importer.typeOf(rhs);
  if (left.getRank() < 2 || right.getRank() < 2)
    importer.unsupported("its operands must have two dimensions or more");
  int64_t depth = left.getShape().back();
  if (depth != right.getDimSize(right.getRank() - 2) || depth == kBatch)
    importer.unsupported("the operands' inner dimensions differ");
  OpBuilder &builder = importer.builder;
  if (right.getRank() == 2) {
    importer.setOutput(0, builder.create<MatmulOp>(importer.location, lhs, rhs, Value()).getResult());
    return;
  }
  auto matrices = [&](RankedTensorType type) {
    if (type.isDynamicDim(type.getRank() - 2))
      importer.unsupported("the batch must be a leading dimension of both operands");
    return floatTensor(builder.getContext(), type.getShape().drop_back(2));
  };
  auto leading = broadcastType(matrices(left), matrices(right));
  if (failed(leading))
    importer.unsupported("the operands' leading dimensions do not broadcast");
  auto repeated = [&](Value value, RankedTensorType type) -> Value {
    SmallVector<int64_t> shape(leading->getShape());
    llvm::append_range(shape, type.getShape().take_back(2));
    auto wanted = floatTensor(builder.getContext(), shape);
    return type == wanted ? value : builder.create<BroadcastToOp>(importer.location, wanted, value).getResult();
  };
  importer.setOutput(
      0, builder.create<BatchMatmulOp>(importer.location, repeated(lhs, left), repeated(rhs, right)).getResult());
}

LogicalResult BatchMatmulOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType()),
       rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  int64_t rank = lhs.getRank();
  bool fit = rank >= 3 && rhs.getRank() == rank && lhs.getShape().drop_back(2) == rhs.getShape().drop_back(2) &&
             lhs.getDimSize(rank - 1) == rhs.getDimSize(rank - 2);
  if (!fit)
    return emitOptionalError(location, "the operands of products of matrices do not fit: ", lhs, " and ", rhs);
  SmallVector<int64_t> shape(lhs.getShape());
  shape.back() = rhs.getShape().back();
  types.push_back(floatTensor(context, shape));
  return success();
}

static Value turned(OpBuilder &builder, Location location, Value matrices) {
  SmallVector<int64_t> permutation(cast<RankedTensorType>(matrices.getType()).getRank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.back(), permutation[permutation.size() - 2]);
  return builder.create<TransposeOp>(location, matrices, permutation);
}

SmallVector<Value> BatchMatmulOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  Value lhs = builder.create<BatchMatmulOp>(getLoc(), gradients[0], turned(builder, getLoc(), getRhs()));
  Value rhs = builder.create<BatchMatmulOp>(getLoc(), turned(builder, getLoc(), getLhs()), gradients[0]);
  return {lhs, rhs};
}

// The matrices one behind the other, innermost dimension first.
static KernelArgument matricesArgument(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t rank = type.getRank(), rows = type.getDimSize(rank - 2), columns = type.getDimSize(rank - 1);
  BufferDimension count = collapsedExtent(type, 0, rank - 2);
  count.stride = rows * columns;
  return {value, {BufferDimension{0, columns, 1}, BufferDimension{0, rows, columns}, count}};
}

SmallVector<KernelCall> BatchMatmulOp::getKernelCalls() {
  int64_t rank = getType().getRank();
  KernelCall call;
  call.kernel = {"batch_matmul",
                 {{"m", getType().getDimSize(rank - 2)},
                  {"k", getLhs().getType().getDimSize(rank - 1)},
                  {"n", getType().getDimSize(rank - 1)}}};
  call.arguments = {matricesArgument(getLhs()), matricesArgument(getRhs()), matricesArgument(getResult())};
  return {call};
}

OpCost BatchMatmulOp::getCost() {
  BufferDimension outputs = elementCount(getType());
  double depth = 2.0 * double(getLhs().getType().getShape().back());
  return {depth * double(outputs.perSample), depth * double(outputs.fixed)};
}

} // namespace partyline::party
