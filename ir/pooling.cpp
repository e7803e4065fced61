//===- ir/pooling.cpp - what the pooling ops share ------------------------===//
#include "ir/pooling.h"

using namespace mlir;

namespace partyline {

FailureOr<RankedTensorType> pooledType(RankedTensorType input, const Window &window, bool channelsLast) {
  if (input.getRank() != 4)
    return failure();
  int64_t spatial = channelsLast ? 1 : 2;
  auto [height, width] = window.outputSize(input.getDimSize(spatial), input.getDimSize(spatial + 1));
  if (height < 1 || width < 1)
    return failure();
  SmallVector<int64_t> shape(input.getShape());
  shape[spatial] = height;
  shape[spatial + 1] = width;
  return RankedTensorType::get(shape, input.getElementType());
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
