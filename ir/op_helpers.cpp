//===- ir/op_helpers.cpp - what several op files need ---------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline {

RankedTensorType floatTensor(MLIRContext *context, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, Float32Type::get(context));
}

KernelCall flatKernel(Operation *op, StringRef family, ValueRange operands) {
  KernelCall call;
  call.kernel.family = family.str();
  for (Value operand : operands)
    call.arguments.push_back(flatArgument(operand));
  call.arguments.push_back(flatArgument(op->getResult(0)));
  call.inPlaceOver = operands.back();
  return call;
}

// One axis of Window::outputSize. With ceil_mode a window may hang over the end, but must begin inside the input or its
// leading padding (as PyTorch and ONNX's reference since opset 19 do).
static int64_t outputExtent(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, int64_t before, int64_t after,
                            bool ceilMode) {
  int64_t room = in + before + after - ((kernel - 1) * dilation + 1);
  if (room < 0)
    return 0;
  int64_t out = (ceilMode ? (room + stride - 1) / stride : room / stride) + 1;
  if (ceilMode && (out - 1) * stride >= in + before)
    --out;
  return out;
}

std::pair<int64_t, int64_t> Window::outputSize(int64_t h, int64_t w) const {
  return {outputExtent(h, kernelH, strideH, dilationH, padTop, padBottom, ceilMode),
          outputExtent(w, kernelW, strideW, dilationW, padLeft, padRight, ceilMode)};
}

// The padding of one axis for auto_pad SAME_UPPER or SAME_LOWER: out = ceil(in / stride), the odd element at the end or
// at the beginning.
static std::pair<int64_t, int64_t> samePads(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, bool upper) {
  int64_t out = (in + stride - 1) / stride;
  int64_t total = std::max<int64_t>(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - in);
  int64_t small = total / 2, large = total - total / 2;
  return upper ? std::pair(small, large) : std::pair(large, small);
}

Window importWindow(OnnxNodeImporter &importer, RankedTensorType input,
                    std::optional<std::pair<int64_t, int64_t>> kernel) {
  if (input.getRank() != 4)
    importer.unsupported("only two-dimensional windows (inputs of rank 4) can be trained, this input has rank " +
                         std::to_string(input.getRank()));
  auto pair = [&](const std::string &name, std::pair<int64_t, int64_t> otherwise) {
    auto values = importer.intsAttribute(name);
    if (!values)
      return otherwise;
    if (values->size() != 2 || (*values)[0] < 1 || (*values)[1] < 1)
      importer.unsupported("attribute " + name + " must hold two positive values");
    return std::pair((*values)[0], (*values)[1]);
  };
  auto kernelShape = importer.intsAttribute("kernel_shape");
  if (!kernelShape && !kernel)
    importer.unsupported("attribute kernel_shape is missing");
  auto [kernelH, kernelW] = pair("kernel_shape", kernel.value_or(std::pair<int64_t, int64_t>(1, 1)));
  if (kernel && *kernel != std::pair(kernelH, kernelW))
    importer.unsupported("kernel_shape does not agree with the weight");
  auto [strideH, strideW] = pair("strides", {1, 1});
  auto [dilationH, dilationW] = pair("dilations", {1, 1});
  Window window{kernelH, kernelW, strideH, strideW, dilationH, dilationW, 0, 0, 0, 0, importer.intOr("ceil_mode", 0) != 0};

  std::string autoPad = importer.stringAttribute("auto_pad").value_or("NOTSET");
  int64_t height = input.getDimSize(2), width = input.getDimSize(3);
  if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
    bool upper = autoPad == "SAME_UPPER";
    std::tie(window.padTop, window.padBottom) = samePads(height, kernelH, strideH, dilationH, upper);
    std::tie(window.padLeft, window.padRight) = samePads(width, kernelW, strideW, dilationW, upper);
  } else if (autoPad == "NOTSET") {
    if (auto pads = importer.intsAttribute("pads")) {
      if (pads->size() != 4 || std::any_of(pads->begin(), pads->end(), [](int64_t pad) { return pad < 0; }))
        importer.unsupported("attribute pads must hold four values, none negative");
      window.padTop = (*pads)[0], window.padLeft = (*pads)[1], window.padBottom = (*pads)[2],
      window.padRight = (*pads)[3];
    }
  } else if (autoPad != "VALID") {
    importer.unsupported("auto_pad " + autoPad + " is unknown");
  }
  auto [outH, outW] = window.outputSize(height, width);
  if (outH < 1 || outW < 1)
    importer.unsupported("the window is larger than the padded input");
  return window;
}

SmallVector<int64_t> toChannelsLast(int64_t rank) {
  SmallVector<int64_t> permutation;
  if (rank <= 2)
    return permutation;
  permutation.push_back(0);
  for (int64_t i = 2; i < rank; ++i)
    permutation.push_back(i);
  permutation.push_back(1);
  return permutation;
}

SmallVector<int64_t> inversePermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, source] : llvm::enumerate(permutation))
    inverse[source] = i;
  return inverse;
}

SmallVector<int64_t> toChannelsFirst(int64_t rank) { return inversePermutation(toChannelsLast(rank)); }

} // namespace partyline
