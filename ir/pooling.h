//===- ir/pooling.h - what the pooling ops share --------------------------===//
#pragma once

#include "ir/window_import.h"

namespace partyline {

/// The window of an ONNX pooling node and its input as an image. Refuses windows in the padding alone.
WindowImport importPoolWindow(OnnxNodeImporter &importer, mlir::Value input);

/// The output's type of a pooling window over `input`; fails, with an error, where none fits or one sees only padding.
mlir::FailureOr<mlir::RankedTensorType> pooledType(std::optional<mlir::Location> location,
                                                   mlir::FailureOr<Window> window, mlir::RankedTensorType input,
                                                   bool channelsLast);

/// Whether a channels-last pooling window over `input` makes `output`, with ceil_mode or without.
mlir::LogicalResult verifyPooled(mlir::Operation *op, mlir::FailureOr<Window> window, mlir::RankedTensorType input,
                                 mlir::RankedTensorType output);

/// The compile-time parameters of the pooling families, shapes channels-last.
KernelSpec poolKernel(llvm::StringRef family, const Window &window, mlir::RankedTensorType input,
                      mlir::RankedTensorType output);

} // namespace partyline
