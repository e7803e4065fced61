//===- ir/op_helpers.h - what several op files need -----------------------===//
#pragma once

#include "ir/onnx_imports.h"
#include "ir/party.h"

namespace partyline {

inline constexpr int64_t kBatch = mlir::ShapedType::kDynamic;

mlir::RankedTensorType floatTensor(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape);

/// The kernel of an elementwise op on flat buffers: `operands`, then the result, which may overwrite the last operand.
KernelCall flatKernel(mlir::Operation *op, llvm::StringRef family, mlir::ValueRange operands,
                      llvm::ArrayRef<KernelScalar> scalars = {});

/// The kernel of an op of the definitions' Party_Unary: the family of the op's name.
KernelCall unaryKernel(mlir::Operation *op);

/// The gradient of the input of `op`, one of Party_Unary: its gradient op on `from`, its input or output.
mlir::Value unaryGradient(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value from, mlir::Value outputGradient);

/// to = factor * from, views of equal extents that need not be dense; added to what is there where the call says so.
KernelCall copyKernel(KernelArgument from, KernelArgument to, KernelScalar factor = constantFloat(1));

/// The most a window's kernel, strides, pads and dilations can be: larger than any image, and so small that no sum or
/// product of these overflows.
inline constexpr int64_t kMostWindow = int64_t(1) << 20;

/// A two-dimensional window's geometry, shared by convolution and pooling. Pads are top, left, bottom, right.
struct Window {
  int64_t kernelH, kernelW, strideH, strideW, dilationH, dilationW, padTop, padLeft, padBottom, padRight;
  bool ceilMode = false;

  /// Why the window cannot slide over an input of height h and width w; nothing where it can.
  std::optional<std::string> fault(int64_t h, int64_t w) const;
  /// Output height and width for an input of height h and width w that has no fault.
  std::pair<int64_t, int64_t> outputSize(int64_t h, int64_t w) const;
};

/// The window of an op's attributes; fails where these are not two values each and four pads.
mlir::FailureOr<Window> makeWindow(llvm::ArrayRef<int64_t> kernel, llvm::ArrayRef<int64_t> strides,
                                   llvm::ArrayRef<int64_t> pads, llvm::ArrayRef<int64_t> dilations);

/// The type of what a window makes of `input`, with `channels` channels; fails, with an error, where it does not fit.
mlir::FailureOr<mlir::RankedTensorType> slideWindow(std::optional<mlir::Location> location,
                                                    mlir::FailureOr<Window> window, mlir::RankedTensorType input,
                                                    int64_t channels, bool channelsLast);

/// The gradient of a channels-last input of which a sample has the shape `inputShape`, from the output's gradient.
mlir::LogicalResult inferInputGradient(std::optional<mlir::Location> location, mlir::Value outputGradient,
                                       llvm::ArrayRef<int64_t> inputShape, llvm::SmallVectorImpl<mlir::Type> &types);

/// The kernel of an update op of the families sgd and lars (codegen/kernels/momentum_step.h), its scalars up to the
/// weight decay. Without momentum there is no buffer.
UpdateKernelCall momentumStep(llvm::StringRef family, const llvm::APFloat &momentum, const llvm::APFloat &weightDecay);

/// Whether attribute `name`, of this value, lies in [0, 1].
mlir::LogicalResult verifyFraction(mlir::Operation *op, llvm::StringRef name, const llvm::APFloat &value);

/// Whether attribute `name`, of this value, is a finite number of 0 or more.
mlir::LogicalResult verifyNotNegative(mlir::Operation *op, llvm::StringRef name, const llvm::APFloat &value);

/// Whether these values are vectors of one element per channel.
mlir::LogicalResult verifyPerChannel(std::optional<mlir::Location> location, mlir::ValueRange values, int64_t channels);

/// The permutation NCHW -> NHWC for any rank (and its inverse); empty for rank 2 and below.
llvm::SmallVector<int64_t> toChannelsLast(int64_t rank);
llvm::SmallVector<int64_t> toChannelsFirst(int64_t rank);
/// The permutation of a tensor of this rank where only images, of rank 4, are laid out channels-last.
llvm::SmallVector<int64_t> imagePermutation(int64_t rank);
/// Values given per dimension of ONNX, and such a dimension, as a tensor has them that may be a channels-last image.
llvm::SmallVector<int64_t> storedOrder(llvm::ArrayRef<int64_t> values, bool channelsLast);
int64_t storedAxis(int64_t axis, int64_t rank, bool channelsLast);
llvm::SmallVector<int64_t> inversePermutation(llvm::ArrayRef<int64_t> permutation);

/// `axis` of a node over a tensor of this rank, counted from the front; refuses the node where there is none.
int64_t importAxis(OnnxNodeImporter &importer, int64_t axis, int64_t rank);

/// Elements [first, first + extent) of dimension `axis`.
mlir::Value importPart(OnnxNodeImporter &importer, mlir::Value input, int64_t axis, int64_t first, int64_t extent);

/// Imports an operator with one data input that becomes one op of the same type, with these attributes.
template <typename Op, typename... Numbers> void importUnary(OnnxNodeImporter &importer, Numbers... attributes) {
  importer.setOutput(
      0, importer.builder.create<Op>(importer.location, importer.data(0), llvm::APFloat(attributes)...)->getResult(0));
}

} // namespace partyline
