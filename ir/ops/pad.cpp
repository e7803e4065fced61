//===- ir/ops/pad.cpp - a tensor with something around it -----------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

// Modes that repeat elements of the input: dimension `axis` becomes a concatenation of its parts.
static Value padByRepeating(OnnxNodeImporter &importer, Value input, int64_t axis, int64_t before, int64_t after,
                            const std::string &mode) {
  constexpr int64_t mostParts = 256;
  int64_t size = importer.typeOf(input).getDimSize(axis);
  if (std::max(before, after) > (mode == "reflect" ? size - 1 : mode == "wrap" ? size : mostParts))
    importer.unsupported("dimension " + std::to_string(axis) + " has too few elements for its pads in mode " + mode);
  if (before + after > mostParts)
    importer.unsupported("more than " + std::to_string(mostParts) + " pads in mode " + mode + " cannot be trained");
  auto source = [&](int64_t place) { // of the element that stands `place` behind the input's first one
    if (mode == "edge")
      return std::clamp<int64_t>(place, 0, size - 1);
    if (mode == "wrap")
      return (place + size) % size;
    return place < 0 ? -place : 2 * (size - 1) - place;
  };
  SmallVector<Value> parts;
  for (int64_t place = -before; place < 0; ++place)
    parts.push_back(importPart(importer, input, axis, source(place), 1));
  parts.push_back(input);
  for (int64_t place = size; place < size + after; ++place)
    parts.push_back(importPart(importer, input, axis, source(place), 1));
  return parts.size() == 1 ? input
                           : importer.builder.create<ConcatOp>(importer.location, parts, axis, false).getResult();
}

// Pads of every dimension, {before, after}: an attribute before opset 11, an input since; of some axes since 18.
static std::vector<std::pair<int64_t, int64_t>> importPads(OnnxNodeImporter &importer, int64_t rank) {
  auto values = importer.opset() < 11 ? importer.intsAttribute("pads") : importer.constantInts(1);
  if (!values)
    importer.unsupported("its pads are not constant");
  std::optional<std::vector<int64_t>> axes;
  if (importer.hasInput(3) && !(axes = importer.constantInts(3)))
    importer.unsupported("its axes are not constant");
  if (!axes) {
    axes.emplace();
    for (int64_t i = 0; i < rank; ++i)
      axes->push_back(i);
  }
  if (values->size() != 2 * axes->size())
    importer.unsupported("it needs two pads for each of its " + std::to_string(axes->size()) + " dimensions, not " +
                         std::to_string(values->size()));
  std::vector<std::pair<int64_t, int64_t>> pads(rank, {0, 0});
  for (size_t i = 0; i < axes->size(); ++i) {
    auto [before, after] = std::pair((*values)[i], (*values)[i + axes->size()]);
    if (std::max(std::abs(before), std::abs(after)) > kMostWindow)
      importer.unsupported("its pads are too large");
    pads[importAxis(importer, (*axes)[i], rank)] = {before, after};
  }
  return pads;
}

static double importPadValue(OnnxNodeImporter &importer) {
  if (importer.opset() < 11)
    return importer.floatOr("value", 0);
  if (!importer.hasInput(2))
    return 0;
  auto values = importer.constantFloats(2);
  if (!values || values->size() != 1)
    importer.unsupported("its value is no constant scalar");
  return values->front();
}

void importPad(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  std::string mode = importer.stringAttribute("mode").value_or("constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    importer.unsupported("mode " + mode + " is unknown");
  int64_t rank = importer.typeOf(input).getRank();
  auto pads = importPads(importer, rank);
  SmallVector<int64_t> low(rank, 0), high(rank, 0), interior(rank, 0);
  for (int64_t i = 0; i < rank; ++i) {
    auto [before, after] = pads[i];
    if (importer.typeOf(input).isDynamicDim(i) && (before || after))
      importer.unsupported("the batch cannot be padded");
    if (before < 0 || after < 0) { // a negative pad cuts off
      int64_t kept =
          importer.typeOf(input).getDimSize(i) - std::max<int64_t>(-before, 0) - std::max<int64_t>(-after, 0);
      if (kept < 1)
        importer.unsupported("its pads leave nothing of dimension " + std::to_string(i));
      input = importPart(importer, input, i, std::max<int64_t>(-before, 0), kept);
    }
    low[i] = std::max<int64_t>(before, 0), high[i] = std::max<int64_t>(after, 0);
    if (mode != "constant")
      input = padByRepeating(importer, input, i, low[i], high[i], mode);
  }
  if (mode == "constant")
    input = importer.builder.createOrFold<PadOp>(importer.location, input, low, high, interior,
                                                 APFloat(importPadValue(importer)), false);
  importer.setOutput(0, input);
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  auto rank = size_t(type.getRank());
  if (adaptor.getLow().size() != rank || adaptor.getHigh().size() != rank || adaptor.getInterior().size() != rank)
    return emitOptionalError(location, "needs low, high and interior pads for every dimension of ", type);
  bool channelsLast = adaptor.getChannelsLast();
  auto low = storedOrder(adaptor.getLow(), channelsLast), high = storedOrder(adaptor.getHigh(), channelsLast),
       interior = storedOrder(adaptor.getInterior(), channelsLast);
  SmallVector<int64_t> shape(type.getShape());
  for (size_t i = 0; i < rank; ++i) {
    if (std::min({low[i], high[i], interior[i]}) < 0 || std::max({low[i], high[i], interior[i]}) > kMostWindow)
      return emitOptionalError(location, "pads must lie between 0 and ", kMostWindow);
    if (!type.isDynamicDim(i))
      shape[i] += low[i] + high[i] + interior[i] * (shape[i] - 1);
    else if (low[i] || high[i] || interior[i])
      return emitOptionalError(location, "the batch cannot be padded");
  }
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

SmallVector<int64_t> PadOp::getOperandPermutation(unsigned) { return imagePermutation(getType().getRank()); }
SmallVector<int64_t> PadOp::getResultPermutation(unsigned) { return imagePermutation(getType().getRank()); }

SmallVector<Value> PadOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  SmallVector<int64_t> extents, steps;
  RankedTensorType input = getInput().getType();
  for (int64_t i = 0, rank = input.getRank(); i < rank; ++i) {
    extents.push_back(input.getDimSize(storedAxis(i, rank, getChannelsLast())));
    steps.push_back(getInterior()[i] + 1);
  }
  return {builder.create<SliceOp>(getLoc(), gradients[0], getLow(), extents, steps, getChannelsLast())};
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

SmallVector<KernelCall> PadOp::getKernelCalls() {
  KernelCall fill;
  fill.kernel = {"fill", {}};
  fill.scalars = {constantFloat(getValue().convertToDouble())};
  fill.arguments = {flatArgument(getResult())};
  SmallVector<int64_t> steps;
  for (int64_t interior : getInterior())
    steps.push_back(interior + 1);
  bool channelsLast = getChannelsLast();
  return {fill, copyKernel(denseArgument(getInput()),
                           stridedArgument(getResult(), storedOrder(getLow(), channelsLast),
                                           storedOrder(steps, channelsLast), getInput().getType()))};
}

} // namespace partyline::party
