//===- ir/class_loss.h - losses of class labels ---------------------------===//
//
// cross_entropy and negative_log_likelihood: scores [batch, ..., classes] against a label for every row of them. A
// class may have a weight; one label may stand for rows that do not count.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/op_helpers.h"

namespace partyline {

/// Whether there is one label for every row of scores, and one weight for every class where `weights` is not null.
mlir::LogicalResult verifyLabels(std::optional<mlir::Location> location, mlir::RankedTensorType scores,
                                 mlir::Value labels, mlir::Value weights);

/// The type of the losses: one for every label.
mlir::RankedTensorType lossesType(mlir::Value labels);

/// Whether the op's attribute `reduction` is mean, none or sum.
mlir::LogicalResult verifyReduction(mlir::Operation *op, llvm::StringRef reduction);

/// The kernel `family` of such a loss or its gradient on rows of so many classes, with the parameters and the scalar
/// that say which labels count; `labels` and `weights` are yet to become arguments.
KernelCall classLossKernel(llvm::StringRef family, int64_t classes, std::optional<int64_t> ignoreIndex,
                           mlir::Value weights);

/// `labels`, and `weights` where they are not null, as the kernels take them.
void addLabelArguments(KernelCall &call, mlir::Value labels, mlir::Value weights);

/// ONNX's SoftmaxCrossEntropyLoss and NegativeLogLikelihoodLoss take the same: scores [batch, classes, ...], here with
/// the classes last.
struct ImportedClassLoss {
  mlir::Value scores, labels, weights; ///< weights: may be null
  mlir::IntegerAttr ignoreIndex;       ///< may be null
  mlir::StringAttr reduction;
};
ImportedClassLoss importClassLoss(OnnxNodeImporter &importer);

} // namespace partyline
