//===- ir/elements.h - kernels of elementwise ops -------------------------===//
#pragma once

#include "ir/party.h"

namespace partyline {

/// Whether an op that is FusibleOpInterface can be part of a kernel with others: its operands have all the type of one
/// of them, channels last, or are vectors of an element per channel.
bool isFusible(mlir::Operation *op);

/// Where the elements of a matrix (channels last) are: columns of another one, from `first` on.
struct Columns {
  mlir::Value whole;
  int64_t first = 0;
};

/// A party.concat that has `value` in place is where it is; else it is all of itself.
Columns columnsOf(mlir::Value value);

/// The kernel (codegen/kernels/elements.h) of ops of a block in this order. `arguments` are what the ops take from
/// outside, which is `values` for the caller; the last op's results are `results` for the caller.
KernelCall elementsKernel(llvm::ArrayRef<mlir::Operation *> ops, mlir::ValueRange arguments, mlir::ValueRange values,
                          mlir::ValueRange results);

/// The kernel of an op by itself.
KernelCall elementsKernel(mlir::Operation *op);

} // namespace partyline
