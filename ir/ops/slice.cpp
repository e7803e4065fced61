//===- ir/ops/slice.cpp - a regular part of a tensor ----------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

namespace {

/// The part of a tensor that a node takes: at first all of it.
struct Part {
  SmallVector<int64_t> starts, extents, steps;

  explicit Part(RankedTensorType type)
      : starts(type.getRank(), 0), extents(type.getShape()), steps(type.getRank(), 1) {}
};

} // namespace

static Value take(OnnxNodeImporter &importer, Value input, const Part &part) {
  return importer.builder.createOrFold<SliceOp>(importer.location, input, part.starts, part.extents, part.steps, false);
}

// Elements of dimension `axis` from `start` to `end`, as ONNX counts them: from the end where negative, cut to the
// size.
static void takeRange(OnnxNodeImporter &importer, RankedTensorType type, Part &part, int64_t axis, int64_t start,
                      int64_t end, int64_t step) {
  if (step < 1)
    importer.unsupported("step " + std::to_string(step) + " is not positive");
  if (type.isDynamicDim(axis)) {
    if (start != 0 || end < std::numeric_limits<int32_t>::max() || step != 1)
      importer.unsupported("the batch cannot be cut");
    return;
  }
  int64_t size = type.getDimSize(axis);
  auto bound = [&](int64_t value) { return std::clamp<int64_t>(value < 0 ? value + size : value, 0, size); };
  start = bound(start), end = bound(end);
  if (start >= end)
    importer.unsupported("it takes nothing of dimension " + std::to_string(axis));
  part.starts[axis] = start;
  part.steps[axis] = std::min(step, size);
  part.extents[axis] = (end - start - 1) / part.steps[axis] + 1;
}

// Starts, ends, axes and steps: attributes before opset 10, inputs since.
static std::optional<std::vector<int64_t>> importBounds(OnnxNodeImporter &importer, const std::string &name,
                                                        unsigned input) {
  if (importer.opset() < 10)
    return importer.intsAttribute(name);
  if (!importer.hasInput(input))
    return std::nullopt;
  auto values = importer.constantInts(input);
  if (!values)
    importer.unsupported("its " + name + " are not constant");
  return values;
}

void importSlice(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  RankedTensorType type = importer.typeOf(input);
  auto starts = importBounds(importer, "starts", 1), ends = importBounds(importer, "ends", 2),
       axes = importBounds(importer, "axes", 3), steps = importBounds(importer, "steps", 4);
  if (!starts || !ends)
    importer.unsupported("its starts and ends are missing");
  if (!axes) {
    axes.emplace();
    for (size_t i = 0; i < starts->size(); ++i)
      axes->push_back(int64_t(i));
  }
  if (starts->size() != ends->size() || starts->size() != axes->size() || (steps && steps->size() != starts->size()))
    importer.unsupported("its starts, ends, axes and steps are not equally many");
  Part part(type);
  for (size_t i = 0; i < starts->size(); ++i)
    takeRange(importer, type, part, importAxis(importer, (*axes)[i], type.getRank()), (*starts)[i], (*ends)[i],
              steps ? (*steps)[i] : 1);
  importer.setOutput(0, take(importer, input, part));
}

// The axis along which a node splits its input.
static int64_t importSplitAxis(OnnxNodeImporter &importer, RankedTensorType type) {
  const int64_t axis = importAxis(importer, importer.intOr("axis", 0), type.getRank());
  if (type.isDynamicDim(axis))
    importer.unsupported("the batch cannot be split");
  return axis;
}

// Parts of these sizes along an axis.
static SmallVector<Value> split(OnnxNodeImporter &importer, Value input, int64_t axis, ArrayRef<int64_t> sizes) {
  RankedTensorType type = importer.typeOf(input);
  const int64_t size = type.getDimSize(axis);
  SmallVector<Value> parts;
  Part part(type);
  for (int64_t extent : sizes) {
    if (extent < 1 || extent > size - part.starts[axis])
      importer.unsupported("the sizes of its parts do not make up dimension " + std::to_string(axis));
    part.extents[axis] = extent;
    parts.push_back(take(importer, input, part));
    part.starts[axis] += extent;
  }
  if (part.starts[axis] != size)
    importer.unsupported("the sizes of its parts do not make up dimension " + std::to_string(axis));
  return parts;
}

void importSplit(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  RankedTensorType type = importer.typeOf(input);
  int64_t axis = importSplitAxis(importer, type), size = type.getDimSize(axis);
  auto sizes = importer.opset() < 13 ? importer.intsAttribute("split") : importer.constantInts(1);
  if (importer.hasInput(1) && !sizes)
    importer.unsupported("the sizes of its parts are not constant");
  if (!sizes) { // equal parts, the last one smaller where they do not fit
    int64_t parts = importer.intOr("num_outputs", importer.numOutputs());
    if (parts < 1 || parts > size)
      importer.unsupported("dimension " + std::to_string(axis) + " cannot be split into " + std::to_string(parts));
    int64_t each = (size + parts - 1) / parts;
    sizes.emplace(parts, each);
    sizes->back() = size - (parts - 1) * each;
  }
  if (sizes->size() != importer.numOutputs())
    importer.unsupported("it has " + std::to_string(importer.numOutputs()) + " outputs for " +
                         std::to_string(sizes->size()) + " parts");
  for (auto [i, part] : llvm::enumerate(split(importer, input, axis, *sizes)))
    importer.setOutput(i, part);
}

void importSplitToSequence(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  RankedTensorType type = importer.typeOf(input);
  int64_t axis = importSplitAxis(importer, type), size = type.getDimSize(axis);
  std::vector<int64_t> sizes(size, 1);
  if (importer.hasInput(1)) {
    auto given = importer.constantInts(1);
    if (!given)
      importer.unsupported("the sizes of its parts are not constant");
    sizes = *given;
    // A scalar is the size of all parts but the last.
    if (importer.constantShape(1)->empty() && sizes[0] > 0) {
      const int64_t each = sizes[0];
      sizes.assign((size + each - 1) / each, each);
      sizes.back() = size - (int64_t(sizes.size()) - 1) * each;
    }
  }
  SmallVector<Value> parts = split(importer, input, axis, sizes);
  if (!importer.hasInput(1) && importer.intOr("keepdims", 1) == 0) {
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    for (Value &part : parts)
      part = importer.builder.createOrFold<ReshapeOp>(importer.location,
                                                      floatTensor(importer.builder.getContext(), shape), part);
  }
  importer.setSequence(0, parts);
}

void importSequenceAt(OnnxNodeImporter &importer) {
  ArrayRef<Value> parts = importer.sequence(0);
  auto position = importer.constantInts(1);
  if (!position || position->size() != 1)
    importer.unsupported("its position is not constant");
  const int64_t count = int64_t(parts.size()),
                at = position->front() < 0 ? position->front() + count : position->front();
  if (at < 0 || at >= count)
    importer.unsupported("there is no place " + std::to_string(position->front()) + " in a sequence of " +
                         std::to_string(count));
  importer.setOutput(0, parts[at]);
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  auto rank = size_t(type.getRank());
  if (adaptor.getStarts().size() != rank || adaptor.getExtents().size() != rank || adaptor.getSteps().size() != rank)
    return emitOptionalError(location, "needs a start, an extent and a step for every dimension of ", type);
  bool channelsLast = adaptor.getChannelsLast();
  auto starts = storedOrder(adaptor.getStarts(), channelsLast),
       extents = storedOrder(adaptor.getExtents(), channelsLast), steps = storedOrder(adaptor.getSteps(), channelsLast);
  for (size_t i = 0; i < rank; ++i) {
    int64_t start = starts[i], extent = extents[i], step = steps[i], size = type.getDimSize(i);
    bool fits = type.isDynamicDim(i)
                    ? start == 0 && step == 1 && extent == kBatch
                    : start >= 0 && start < size && step >= 1 && extent >= 1 && extent - 1 <= (size - 1 - start) / step;
    if (!fits)
      return emitOptionalError(location, extent, " elements from ", start, " in steps of ", step,
                               " are not in dimension ", i, " of ", type);
  }
  types.push_back(RankedTensorType::get(extents, type.getElementType()));
  return success();
}

SmallVector<int64_t> SliceOp::getOperandPermutation(unsigned) { return imagePermutation(getType().getRank()); }
SmallVector<int64_t> SliceOp::getResultPermutation(unsigned) { return imagePermutation(getType().getRank()); }

// The result's gradient, with zeros around and in between.
SmallVector<Value> SliceOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  SmallVector<int64_t> high, interior;
  RankedTensorType input = getInput().getType();
  for (int64_t i = 0, rank = input.getRank(); i < rank; ++i) {
    int64_t own = storedAxis(i, rank, getChannelsLast());
    high.push_back(input.isDynamicDim(own)
                       ? 0
                       : input.getDimSize(own) - 1 - getStarts()[i] - (getExtents()[i] - 1) * getSteps()[i]);
    interior.push_back(getSteps()[i] - 1);
  }
  return {builder.create<PadOp>(getLoc(), gradients[0], getStarts(), high, interior, APFloat(0.0), getChannelsLast())};
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

SmallVector<KernelCall> SliceOp::getKernelCalls() {
  return {copyKernel(stridedArgument(getInput(), storedOrder(getStarts(), getChannelsLast()),
                                     storedOrder(getSteps(), getChannelsLast()), getType()),
                     denseArgument(getResult()))};
}

} // namespace partyline::party
