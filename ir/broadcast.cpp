//===- ir/broadcast.cpp - numpy broadcasting of tensors -------------------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline {

FailureOr<RankedTensorType> broadcastType(RankedTensorType lhs, RankedTensorType rhs) {
  int64_t rank = std::max(lhs.getRank(), rhs.getRank());
  SmallVector<int64_t> shape(rank);
  for (int64_t i = 0; i < rank; ++i) {
    int64_t l = i - (rank - lhs.getRank()), r = i - (rank - rhs.getRank());
    int64_t a = l < 0 ? 1 : lhs.getDimSize(l), b = r < 0 ? 1 : rhs.getDimSize(r);
    if (a != b && a != 1 && b != 1)
      return failure();
    shape[i] = a == 1 ? b : a;
    if (i > 0 && ShapedType::isDynamic(shape[i]))
      return failure();
  }
  return RankedTensorType::get(shape, lhs.getElementType());
}

LogicalResult inferBroadcastType(std::optional<Location> location, ValueRange operands, SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(operands.front().getType());
  for (Value operand : operands.drop_front()) {
    auto both = broadcastType(type, cast<RankedTensorType>(operand.getType()));
    if (failed(both))
      return emitOptionalError(location, type, " and ", operand.getType(), " do not broadcast");
    type = *both;
  }
  types.push_back(type);
  return success();
}

namespace {

/// Consecutive dimensions of a tensor over which an operand is broadcast, or is not.
struct Run {
  BufferDimension extent;
  SmallVector<bool, 2> broadcast; ///< per operand
};

} // namespace

// Merges the dimensions of `type` into runs, outermost first; an operand is broadcast along a dimension that it lacks
// or where its extent is 1 and the tensor's is not.
static SmallVector<Run> mergeRuns(RankedTensorType type, ArrayRef<RankedTensorType> operands) {
  SmallVector<Run> runs;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (type.getDimSize(i) == 1)
      continue;
    Run run{collapsedExtent(type, i, i + 1), {}};
    for (RankedTensorType operand : operands) {
      int64_t own = i - (type.getRank() - operand.getRank());
      run.broadcast.push_back(own < 0 || operand.getDimSize(own) == 1);
    }
    if (!runs.empty() && runs.back().broadcast == run.broadcast) {
      BufferDimension &outer = runs.back().extent;
      int64_t inner = run.extent.fixed; // Only the outermost dimension can be the batch.
      outer.perSample *= inner;
      outer.fixed *= inner;
    } else {
      runs.push_back(run);
    }
  }
  if (runs.empty())
    runs.push_back({BufferDimension{0, 1}, SmallVector<bool, 2>(operands.size(), false)});
  return runs;
}

// The view of a tensor over the runs that are not broadcast for it; stride 0 along the others.
static KernelArgument runsArgument(Value value, ArrayRef<Run> runs, unsigned operand) {
  KernelArgument argument{value, {}};
  int64_t stride = 1;
  for (const Run &run : llvm::reverse(runs)) {
    BufferDimension dimension = run.extent;
    bool broadcast = operand < run.broadcast.size() && run.broadcast[operand];
    dimension.stride = broadcast ? 0 : stride;
    if (!broadcast)
      stride *= std::max<int64_t>(dimension.fixed, 1);
    argument.dimensions.push_back(dimension);
  }
  return argument;
}

KernelCall broadcastKernel(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<RankedTensorType> operands;
  for (Value operand : op->getOperands())
    operands.push_back(cast<RankedTensorType>(operand.getType()));
  SmallVector<Run> runs = mergeRuns(type, operands);
  KernelCall call;
  call.kernel = {op->getName().stripDialect().str(), {{"rank", int64_t(runs.size())}}};
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    call.kernel.parameters[std::string(1, char('a' + i)) + "_inner"] = int64_t(!runs.back().broadcast[i]);
    call.arguments.push_back(runsArgument(operand, runs, i));
    if (operand.getType() == type)
      call.inPlaceOver = {operand};
  }
  call.arguments.push_back(runsArgument(op->getResult(0), runs, operands.size()));
  return call;
}

bool canSumTo(RankedTensorType from, RankedTensorType to) {
  constexpr size_t mostRuns = 4; // of the kernel family
  return mergeRuns(from, to).size() <= mostRuns;
}

KernelCall broadcastCopyKernel(Operation *op) {
  Value input = op->getOperand(0), result = op->getResult(0);
  SmallVector<Run> runs =
      mergeRuns(cast<RankedTensorType>(result.getType()), {cast<RankedTensorType>(input.getType())});
  return copyKernel(runsArgument(input, runs, 0), runsArgument(result, runs, 1));
}

LogicalResult verifySumTo(Operation *op) {
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  auto sum = broadcastType(from, to);
  if (failed(sum) || *sum != from)
    return op->emitOpError() << "cannot sum " << from << " to " << to << ", which does not broadcast to it";
  if (!canSumTo(from, to))
    return op->emitOpError() << "cannot sum " << from << " to " << to << ": too many dimensions broadcast in turn";
  return success();
}

KernelCall sumToKernel(Operation *op, double factor) {
  Value input = op->getOperand(0), result = op->getResult(0);
  SmallVector<Run> runs =
      mergeRuns(cast<RankedTensorType>(input.getType()), {cast<RankedTensorType>(result.getType())});
  KernelCall call;
  call.scalars = {constantFloat(factor), fromCall(KernelScalar::Source::accumulate)};
  call.accumulates = true;
  std::string pattern;
  SmallVector<Run> kept;
  for (const Run &run : runs) {
    pattern += run.broadcast[0] ? 'r' : 'k';
    if (!run.broadcast[0])
      kept.push_back(run);
  }
  // A kernel's result needs a dimension: one of extent 1 where everything is summed.
  if (kept.empty()) {
    kept.push_back({BufferDimension{0, 1}, {false}});
    pattern = "k" + pattern;
    runs.insert(runs.begin(), kept.front());
  }
  call.kernel = {"reduce_sum", {{"pattern", pattern}}};
  call.arguments = {runsArgument(input, runs, 1), runsArgument(result, kept, 1), runsArgument(result, kept, 1)};
  return call;
}

Value unbroadcast(OpBuilder &builder, Location location, Value gradient, Type type) {
  if (gradient.getType() == type)
    return gradient;
  return builder.create<party::SumToOp>(location, type, gradient);
}

} // namespace partyline
