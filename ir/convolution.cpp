//===- ir/convolution.cpp - what convolution and its transpose share ------===//
#include "ir/convolution.h"

using namespace mlir;

namespace partyline {

FailureOr<RankedTensorType> convolvedType(std::optional<Location> location, const Convolution &convolution,
                                          RankedTensorType input, RankedTensorType weight, bool channelsLast) {
  if (weight.getRank() != 4 || !weight.hasStaticShape())
    return emitOptionalError(location, "a convolution needs a weight of rank 4, not ", weight);
  FailureOr<Window> window = makeWindow(weight.getShape().slice(channelsLast ? 0 : 2, 2), convolution.strides,
                                        convolution.pads, convolution.dilations);
  int64_t outChannels = weight.getDimSize(channelsLast ? 3 : 0), perGroup = weight.getDimSize(channelsLast ? 2 : 1);
  auto output = slideWindow(location, window, input, outChannels, channelsLast);
  if (failed(output))
    return failure();
  int64_t channels = input.getDimSize(channelsLast ? 3 : 1), groups = convolution.groups;
  if (groups < 1 || channels % groups || channels / groups != perGroup || outChannels % groups)
    return emitOptionalError(location, "a weight for ", perGroup, " channels cannot make ", outChannels, " of ",
                             channels, " in ", groups, " groups");
  return output;
}

LogicalResult verifyConvolved(Operation *op, const Convolution &convolution, RankedTensorType input,
                              RankedTensorType weight, RankedTensorType output) {
  auto expected = convolvedType(op->getLoc(), convolution, input, weight, true);
  if (failed(expected))
    return failure();
  if (*expected != output)
    return op->emitOpError("needs the gradient of the convolution's output ") << *expected;
  return success();
}

KernelSpec convolutionKernel(StringRef family, const Convolution &convolution, RankedTensorType input,
                             RankedTensorType weight, RankedTensorType output) {
  return {family.str(),
          {{"in_height", input.getDimSize(1)},
           {"in_width", input.getDimSize(2)},
           {"in_channels", input.getDimSize(3)},
           {"out_height", output.getDimSize(1)},
           {"out_width", output.getDimSize(2)},
           {"out_channels", output.getDimSize(3)},
           {"kernel_h", weight.getDimSize(0)},
           {"kernel_w", weight.getDimSize(1)},
           {"stride_h", convolution.strides[0]},
           {"stride_w", convolution.strides[1]},
           {"dilation_h", convolution.dilations[0]},
           {"dilation_w", convolution.dilations[1]},
           {"pad_top", convolution.pads[0]},
           {"pad_left", convolution.pads[1]},
           {"groups", convolution.groups}}};
}

OpCost convolutionCost(RankedTensorType weight, RankedTensorType output) {
  BufferDimension outputs = elementCount(output);
  double window = 2.0 * double(weight.getDimSize(0) * weight.getDimSize(1) * weight.getDimSize(2));
  return {window * double(outputs.perSample), window * double(outputs.fixed)};
}

} // namespace partyline
