//===- ir/ops/matmul.cpp - matrix product with a weight -------------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

// Checks the shapes of input [..., K] and weight [K, N].
static void checkMatrices(OnnxNodeImporter &importer, RankedTensorType input, RankedTensorType weight) {
  if (weight.getRank() != 2 || !weight.hasStaticShape())
    importer.unsupported("the second operand must be a matrix without a batch dimension");
  if (input.getRank() < 2 || input.getDimSize(input.getRank() - 1) != weight.getDimSize(0))
    importer.unsupported("the operands' inner dimensions differ");
}

// value * factor, left out where the factor is 1.
static Value scaled(OnnxNodeImporter &importer, Value value, double factor) {
  if (factor == 1)
    return value;
  return importer.builder.create<ScaleOp>(importer.location, value, APFloat(factor)).getResult();
}

void importGemm(OnnxNodeImporter &importer) {
  OpBuilder &builder = importer.builder;
  Value input = importer.data(0), weight = importer.parameter(1);
  if (importer.intOr("transA", 0))
    importer.unsupported("transA = 1 would move the batch");
  if (auto type = importer.typeOf(weight); importer.intOr("transB", 0) && type.getRank() == 2 && type.hasStaticShape())
    weight = builder.create<TransposeOp>(importer.location, weight, ArrayRef<int64_t>{1, 0});
  checkMatrices(importer, importer.typeOf(input), importer.typeOf(weight));
  double alpha = importer.floatOr("alpha", 1), beta = importer.floatOr("beta", 1);
  Value bias = importer.hasInput(2) && beta != 0 ? importer.parameter(2) : Value();
  int64_t columns = importer.typeOf(weight).getDimSize(1);
  bool fused = bias && alpha == 1 && beta == 1 && importer.typeOf(bias).getShape() == ArrayRef<int64_t>(columns);
  Value output = builder.create<MatmulOp>(importer.location, input, weight, fused ? bias : Value());
  output = scaled(importer, output, alpha);
  if (bias && !fused) {
    bias = scaled(importer, bias, beta);
    auto sum = broadcastType(importer.typeOf(output), importer.typeOf(bias));
    if (failed(sum) || *sum != output.getType())
      importer.unsupported("C does not broadcast to the product");
    output = builder.create<AddOp>(importer.location, output, bias);
  }
  importer.setOutput(0, output);
}

// The type of rows [..., M] times a matrix, where M is its dimension `inner`.
static LogicalResult inferProduct(std::optional<Location> location, RankedTensorType rows, RankedTensorType matrix,
                                  unsigned inner, SmallVectorImpl<Type> &types) {
  if (matrix.getRank() != 2 || !matrix.hasStaticShape() || rows.getRank() < 2 ||
      rows.getShape().back() != matrix.getDimSize(inner))
    return emitOptionalError(location, "the operands of a matrix product do not fit: ", rows, " and ", matrix);
  SmallVector<int64_t> shape(rows.getShape());
  shape.back() = matrix.getDimSize(1 - inner);
  types.push_back(floatTensor(rows.getContext(), shape));
  return success();
}

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto weight = cast<RankedTensorType>(adaptor.getWeight().getType());
  if (failed(inferProduct(location, input, weight, 0, types)))
    return failure();
  return adaptor.getBias() ? verifyPerChannel(location, adaptor.getBias(), weight.getDimSize(1)) : success();
}

SmallVector<Value> MatmulOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  Value output = gradients[0];
  SmallVector<Value> result = {Value(), builder.create<MatmulWeightGradientOp>(getLoc(), getInput(), output)};
  if (getBias())
    result.push_back(builder.create<SumToOp>(getLoc(), getBias().getType(), output));
  result[0] = builder.create<MatmulInputGradientOp>(getLoc(), output, getWeight());
  return result;
}

static OpCost matmulCost(RankedTensorType rows, int64_t other) {
  BufferDimension count = elementCount(rows);
  return {2.0 * double(count.perSample) * double(other), 2.0 * double(count.fixed) * double(other)};
}

static KernelSpec matmulKernel(StringRef family, int64_t k, int64_t n) { return {family.str(), {{"k", k}, {"n", n}}}; }

SmallVector<KernelCall> MatmulOp::getKernelCalls() {
  auto weight = getWeight().getType();
  KernelCall call;
  call.kernel = matmulKernel("matmul", weight.getDimSize(0), weight.getDimSize(1));
  call.kernel.parameters["bias"] = int64_t(getBias() ? 1 : 0);
  call.arguments = {matrixArgument(getInput()), denseArgument(getWeight())};
  if (getBias())
    call.arguments.push_back(flatArgument(getBias()));
  call.arguments.push_back(matrixArgument(getOutput()));
  return {call};
}

OpCost MatmulOp::getCost() { return matmulCost(getInput().getType(), getWeight().getType().getDimSize(1)); }

LogicalResult MatmulInputGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  return inferProduct(location, cast<RankedTensorType>(adaptor.getOutputGradient().getType()),
                      cast<RankedTensorType>(adaptor.getWeight().getType()), 1, types);
}

SmallVector<KernelCall> MatmulInputGradientOp::getKernelCalls() {
  auto weight = getWeight().getType();
  KernelCall call;
  call.kernel = matmulKernel("matmul_input_gradient", weight.getDimSize(0), weight.getDimSize(1));
  call.arguments = {matrixArgument(getOutputGradient()), denseArgument(getWeight()),
                    matrixArgument(getInputGradient())};
  return {call};
}

OpCost MatmulInputGradientOp::getCost() {
  return matmulCost(getOutputGradient().getType(), getWeight().getType().getDimSize(0));
}

LogicalResult MatmulWeightGradientOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto output = cast<RankedTensorType>(adaptor.getOutputGradient().getType());
  if (input.getRank() < 2 || output.getRank() < 2 || input.getShape().drop_back() != output.getShape().drop_back())
    return emitOptionalError(location, "the rows of ", input, " are not those of ", output);
  types.push_back(floatTensor(context, {input.getShape().back(), output.getShape().back()}));
  return success();
}

SmallVector<KernelCall> MatmulWeightGradientOp::getKernelCalls() {
  KernelCall call;
  call.kernel = matmulKernel("matmul_weight_gradient", getType().getDimSize(0), getType().getDimSize(1));
  call.scalars = {fromCall(KernelScalar::Source::accumulate)};
  call.accumulates = true;
  call.arguments = {matrixArgument(getInput()), matrixArgument(getOutputGradient()), denseArgument(getWeightGradient()),
                    denseArgument(getWeightGradient())};
  return {call};
}

OpCost MatmulWeightGradientOp::getCost() { return matmulCost(getInput().getType(), getType().getDimSize(1)); }

// A Flatten of an image that was transposed back to NCHW: the image is flattened as it lies, channels-last, and the
// rows of the weight are permuted instead. They are a parameter, so this costs nothing (layout pass).
static LogicalResult permuteFlattenedWeight(MatmulOp op, PatternRewriter &rewriter) {
  auto flatten = op.getInput().getDefiningOp<ReshapeOp>();
  auto transpose = flatten ? flatten.getInput().getDefiningOp<TransposeOp>() : TransposeOp();
  if (!transpose || op.getInput().getType().getRank() != 2 || transpose.getPermutation().front() != 0 ||
      !transpose.getType().isDynamicDim(0))
    return failure();
  // The weight's K rows as the transposed sample's dimensions, permuted back to the order in which the sample lies.
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  SmallVector<int64_t> split(transpose.getType().getShape().drop_front());
  split.push_back(op.getWeight().getType().getDimSize(1));
  SmallVector<int64_t> back;
  const SmallVector<int64_t> inverse = inversePermutation(permutation);
  for (int64_t source : ArrayRef(inverse).drop_front())
    back.push_back(source - 1);
  back.push_back(int64_t(split.size()) - 1);
  Location location = op.getLoc();
  Value weight = rewriter.create<ReshapeOp>(location, floatTensor(op.getContext(), split), op.getWeight());
  weight = rewriter.create<TransposeOp>(location, weight, back);
  weight = rewriter.create<ReshapeOp>(location, op.getWeight().getType(), weight);
  Value input = rewriter.create<ReshapeOp>(location, op.getInput().getType(), transpose.getInput());
  rewriter.replaceOpWithNewOp<MatmulOp>(op, input, weight, op.getBias());
  return success();
}

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(permuteFlattenedWeight);
}

} // namespace partyline::party
