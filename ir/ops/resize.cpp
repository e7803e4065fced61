//===- ir/ops/resize.cpp - images of another size -------------------------===//
//
// Every axis by itself. Nearest neighbours a whole number of times are a broadcast; all else is a product with a
// constant matrix, of one or two weights per output, which brings its own gradient.
//
//===----------------------------------------------------------------------===//
#include "ir/broadcast.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace partyline::party {

namespace {

/// How coordinates of the output lie in the input: the node's attributes.
struct Sampling {
  bool linear = false;
  std::string coordinates, nearest;
};

/// One axis that changes.
struct ResizedAxis {
  int64_t axis, in, out;
  double scale; ///< out / in, as the node says
};

} // namespace

static double sourceOf(const Sampling &sampling, const ResizedAxis &axis, int64_t place) {
  const double x = double(place), in = double(axis.in), out = axis.scale * in; // before rounding, as ONNX says
  if (sampling.coordinates == "half_pixel")
    return (x + 0.5) / axis.scale - 0.5;
  if (sampling.coordinates == "pytorch_half_pixel")
    return out > 1 ? (x + 0.5) / axis.scale - 0.5 : 0;
  if (sampling.coordinates == "align_corners")
    return out > 1 ? x * (in - 1) / (out - 1) : 0;
  if (sampling.coordinates == "asymmetric")
    return x / axis.scale;
  // half_pixel_symmetric
  double adjustment = out / (axis.scale * in), center = in / 2, offset = center * (1 - adjustment);
  return offset + (x + 0.5) / axis.scale - 0.5;
}

static int64_t nearestTo(const Sampling &sampling, double source) {
  if (sampling.nearest == "round_prefer_floor")
    return int64_t(std::ceil(source - 0.5));
  if (sampling.nearest == "round_prefer_ceil")
    return int64_t(std::floor(source + 0.5));
  if (sampling.nearest == "floor")
    return int64_t(std::floor(source));
  return int64_t(std::ceil(source));
}

// The weights [in, out] of an axis.
static std::vector<float> weightsOf(const Sampling &sampling, const ResizedAxis &axis) {
  std::vector<float> weights(size_t(axis.in * axis.out), 0);
  for (int64_t place = 0; place < axis.out; ++place) {
    auto add = [&](int64_t source, double weight) {
      source = std::clamp<int64_t>(source, 0, axis.in - 1);
      weights[size_t(source * axis.out + place)] += float(weight);
    };
    double source = sourceOf(sampling, axis, place);
    if (!sampling.linear) {
      add(nearestTo(sampling, source), 1);
      continue;
    }
    double below = std::floor(source);
    add(int64_t(below), 1 - (source - below));
    add(int64_t(below) + 1, source - below);
  }
  return weights;
}

static bool repeatsEvery(ArrayRef<float> weights, const ResizedAxis &axis) {
  int64_t times = axis.out / axis.in;
  if (axis.out % axis.in)
    return false;
  for (int64_t place = 0; place < axis.out; ++place)
    if (weights[size_t(place / times * axis.out + place)] != 1)
      return false;
  return true;
}

static Value repeat(OnnxNodeImporter &importer, Value input, const ResizedAxis &axis) {
  OpBuilder &builder = importer.builder;
  SmallVector<int64_t> shape(importer.typeOf(input).getShape()), split = shape;
  split.insert(split.begin() + axis.axis + 1, 1);
  Value result = builder.create<ReshapeOp>(importer.location, floatTensor(builder.getContext(), split), input);
  split[axis.axis + 1] = axis.out / axis.in;
  result = builder.create<BroadcastToOp>(importer.location, floatTensor(builder.getContext(), split), result);
  shape[axis.axis] = axis.out;
  return builder.create<ReshapeOp>(importer.location, floatTensor(builder.getContext(), shape), result);
}

static Value multiplyAlong(OnnxNodeImporter &importer, Value input, const ResizedAxis &axis,
                           const std::vector<float> &weights) {
  OpBuilder &builder = importer.builder;
  SmallVector<int64_t> toEnd(importer.typeOf(input).getRank());
  std::iota(toEnd.begin(), toEnd.end(), 0);
  std::swap(toEnd[axis.axis], toEnd.back());
  Value matrix = importer.constant(axis.axis == 2 ? "rows" : "columns", {axis.in, axis.out}, weights);
  Value result = builder.createOrFold<TransposeOp>(importer.location, input, toEnd);
  result = builder.create<MatmulOp>(importer.location, result, matrix, Value());
  return builder.createOrFold<TransposeOp>(importer.location, result, toEnd);
}

// Scales or sizes of all dimensions, or of `axes` (since opset 18): the axes that change.
static SmallVector<ResizedAxis> importAxes(OnnxNodeImporter &importer, RankedTensorType type) {
  int64_t rank = type.getRank();
  unsigned scalesInput = importer.operatorName() == "Upsample" || importer.opset() < 11 ? 1 : 2;
  std::optional<std::vector<double>> scales;
  if (importer.hasInput(scalesInput))
    scales = importer.constantFloats(scalesInput);
  else if (auto attribute = importer.floatsAttribute("scales"))
    scales = attribute;
  std::optional<std::vector<int64_t>> sizes;
  if (importer.hasInput(3))
    sizes = importer.shape(3);
  bool bySizes = sizes && !sizes->empty();
  if (!bySizes && (!scales || scales->empty()))
    importer.unsupported("its scales or sizes are not constant");
  if (importer.stringAttribute("keep_aspect_ratio_policy").value_or("stretch") != "stretch")
    importer.unsupported("keep_aspect_ratio_policy cannot be trained");
  auto axes = importer.intsAttribute("axes");
  size_t count = bySizes ? sizes->size() : scales->size();
  if (count != (axes ? axes->size() : size_t(rank)))
    importer.unsupported("it has " + std::to_string(count) + " scales or sizes for " + std::to_string(rank) +
                         " dimensions");
  SmallVector<ResizedAxis> resized;
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = axes ? importAxis(importer, (*axes)[i], rank) : int64_t(i), in = type.getDimSize(axis);
    bool stays = bySizes ? (*sizes)[i] == in : (*scales)[i] == 1;
    if (stays)
      continue;
    if (axis < 2)
      importer.unsupported("only spatial axes (2 and up) can be resized");
    double scale = bySizes ? double((*sizes)[i]) / double(in) : (*scales)[i];
    int64_t out = bySizes ? (*sizes)[i] : int64_t(std::floor(double(in) * scale));
    if (!(out >= 1 && out <= kMostWindow))
      importer.unsupported("its output has the impossible size " + std::to_string(out));
    resized.push_back({axis, in, out, scale});
  }
  return resized;
}

void importResize(OnnxNodeImporter &importer) {
  Value input = importer.data(0);
  Sampling sampling;
  std::string mode = importer.stringAttribute("mode").value_or("nearest");
  if (mode != "nearest" && mode != "linear" && mode != "bilinear")
    importer.unsupported("mode " + mode + " cannot be trained");
  if (importer.intOr("antialias", 0) || importer.intOr("exclude_outside", 0))
    importer.unsupported("antialias and exclude_outside cannot be trained");
  sampling.linear = mode != "nearest";
  // Before opset 11 there was one way.
  bool old = importer.operatorName() == "Upsample" || importer.opset() < 11;
  sampling.coordinates =
      importer.stringAttribute("coordinate_transformation_mode").value_or(old ? "asymmetric" : "half_pixel");
  sampling.nearest = importer.stringAttribute("nearest_mode").value_or(old ? "floor" : "round_prefer_floor");
  const StringRef coordinates[] = {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                                   "half_pixel_symmetric"};
  if (!llvm::is_contained(coordinates, sampling.coordinates))
    importer.unsupported("coordinate_transformation_mode " + sampling.coordinates + " cannot be trained");
  const StringRef nearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  if (!llvm::is_contained(nearest, sampling.nearest))
    importer.unsupported("nearest_mode " + sampling.nearest + " is unknown");
  for (const ResizedAxis &axis : importAxes(importer, importer.typeOf(input))) {
    std::vector<float> weights = weightsOf(sampling, axis);
    input = repeatsEvery(weights, axis) ? repeat(importer, input, axis) : multiplyAlong(importer, input, axis, weights);
  }
  importer.setOutput(0, input);
}

} // namespace partyline::party
