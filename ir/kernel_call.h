//===- ir/kernel_call.h - a kernel call on SSA values ---------------------===//
//
// What KernelOpInterface returns: a kernel and its arguments, before values have a place in memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/kernel_spec.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace partyline {

/// A buffer argument: a value, or an element of the gradient arena where the value is null, and the view of it that the
/// kernel sees, dimensions innermost first.
struct KernelArgument {
  mlir::Value value;
  llvm::SmallVector<BufferDimension> dimensions;
  int64_t gradientElement = 0;
  int64_t firstElement = 0; ///< of the value, where the view begins
};

struct KernelCall {
  KernelSpec kernel;
  llvm::SmallVector<KernelScalar> scalars;
  llvm::SmallVector<KernelArgument> arguments; ///< inputs, then outputs, as the family orders them
  /// Operands that the kernel may overwrite with result 0: it reads each element before it writes it. The first that
  /// dies at the op is taken.
  llvm::SmallVector<mlir::Value, 0> inPlaceOver;
  /// The kernel adds to its output where its Source::accumulate scalar is set: result 0 may lie in the gradient arena.
  bool accumulates = false;
};

/// Floating-point operations: perSample * n + fixed.
struct OpCost {
  double perSample = 0;
  double fixed = 0;
};

/// `state` (a party.parameter of kind state) moves towards `statistic`: state = rate * state + (1 - rate) * statistic.
struct StateUpdate {
  mlir::Value state;
  mlir::Value statistic;
  double rate;
  int64_t varianceOf = 0; ///< the statistic is the population variance of so many values a sample; 0: it is none
};

/// How the losses of a global batch become one number, as ONNX's attribute `reduction` says: their sum, divided by the
/// weights of the labels that are kept ("mean"; without class weights each is 1), by the number of all labels ("none":
/// a step still needs one number) or by nothing ("sum").
struct LossReduction {
  std::string name = "mean";
  std::optional<int64_t> ignoreIndex; ///< a label whose losses and gradients are 0
  mlir::Value classWeights;           ///< null: all 1
};

/// The kernel of an update op. Slots: -2 the gradient, -1 the weight, i >= 0 optimizer slot i.
struct UpdateKernelCall {
  static constexpr int gradient = -2, weight = -1;
  KernelSpec kernel;
  llvm::SmallVector<KernelScalar> scalars;
  llvm::SmallVector<int> slots;
};

/// Elements of a tensor: perSample * n + fixed; exactly one of them is not zero.
BufferDimension elementCount(mlir::RankedTensorType type);
/// Elements of dimensions [first, last) of a tensor taken together.
BufferDimension collapsedExtent(mlir::RankedTensorType type, int64_t first, int64_t last);
/// Bytes of a tensor: {per sample, fixed}.
std::pair<int64_t, int64_t> tensorBytes(mlir::RankedTensorType type);

/// The whole tensor as one flat dimension.
KernelArgument flatArgument(mlir::Value value);
/// The tensor as a matrix: rows are all dimensions but the last `columns` ones.
KernelArgument matrixArgument(mlir::Value value, int64_t columns = 1);
/// `columns` of the last dimension, from `first` on, as a matrix.
KernelArgument columnsArgument(mlir::Value value, int64_t first, int64_t columns);
/// The tensor as it is, dense, innermost dimension first.
KernelArgument denseArgument(mlir::Value value);
/// The elements start + i * step of every dimension, as many as `part` has. A batch has start 0 and step 1.
KernelArgument stridedArgument(mlir::Value value, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> steps,
                               mlir::RankedTensorType part);

/// One operation per result element: the default of KernelOpInterface::getCost.
OpCost elementwiseCost(mlir::Operation *op);

inline KernelScalar constantFloat(double value) { return {KernelScalar::Source::constantFloat, value}; }
inline KernelScalar constantInt(int64_t value) { return {KernelScalar::Source::constantInt, double(value)}; }
inline KernelScalar fromCall(KernelScalar::Source source) { return {source, 0}; }

} // namespace partyline
