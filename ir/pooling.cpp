//===- ir/pooling.cpp - what the pooling ops share ------------------------===//
#include "ir/pooling.h"

using namespace mlir;

namespace partyline {

// Whether no window of an axis lies in the padding alone, where there is no maximum and no mean.
static bool seesInput(int64_t in, int64_t kernel, int64_t dilation, int64_t before, int64_t after) {
  return std::max(before, after) <= (kernel - 1) * dilation && (before == 0 || dilation <= in);
}

static std::optional<std::string> paddingFault(const Window &window, int64_t height, int64_t width) {
  if (seesInput(height, window.kernelH, window.dilationH, window.padTop, window.padBottom) &&
      seesInput(width, window.kernelW, window.dilationW, window.padLeft, window.padRight))
    return std::nullopt;
  return "a pooling window would lie in the padding alone: pads must be smaller than the kernel";
}

WindowImport importPoolWindow(OnnxNodeImporter &importer, Value input) {
  WindowImport slid(importer, input);
  RankedTensorType image = importer.typeOf(slid.image());
  if (auto fault = paddingFault(slid.window(), image.getDimSize(2), image.getDimSize(3)))
    importer.unsupported(*fault);
  return slid;
}

FailureOr<RankedTensorType> pooledType(std::optional<Location> location, FailureOr<Window> window,
                                       RankedTensorType input, bool channelsLast) {
  int64_t channels = input.getRank() == 4 ? input.getDimSize(channelsLast ? 3 : 1) : 0;
  auto output = slideWindow(location, window, input, channels, channelsLast);
  if (failed(output))
    return failure();
  int64_t spatial = channelsLast ? 1 : 2;
  if (auto fault = paddingFault(*window, input.getDimSize(spatial), input.getDimSize(spatial + 1)))
    return emitOptionalError(location, *fault);
  return output;
}

LogicalResult verifyPooled(Operation *op, FailureOr<Window> window, RankedTensorType input, RankedTensorType output) {
  auto expected = pooledType(op->getLoc(), window, input, true);
  if (failed(expected))
    return failure();
  if (*expected == output)
    return success();
  window->ceilMode = true;
  if (pooledType(op->getLoc(), window, input, true) != output)
    return op->emitOpError("needs the gradient of the pooled ") << *expected << ", not " << output;
  return success();
}

KernelSpec poolKernel(StringRef family, const Window &window, RankedTensorType input, RankedTensorType output) {
  return {family.str(),
          {{"channels", input.getDimSize(3)},
           {"in_height", input.getDimSize(1)},
           {"in_width", input.getDimSize(2)},
           {"out_height", output.getDimSize(1)},
           {"out_width", output.getDimSize(2)},
           {"kernel_h", window.kernelH},
           {"kernel_w", window.kernelW},
           {"stride_h", window.strideH},
           {"stride_w", window.strideW},
           {"dilation_h", window.dilationH},
           {"dilation_w", window.dilationW},
           {"pad_top", window.padTop},
           {"pad_left", window.padLeft}}};
}

} // namespace partyline
