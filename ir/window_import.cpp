//===- ir/window_import.cpp - ONNX nodes with a sliding window ------------===//
#include "ir/window_import.h"

using namespace mlir;

namespace partyline {

std::optional<std::vector<int64_t>> importWindowValues(OnnxNodeImporter &importer, const std::string &name,
                                                       size_t count, int64_t least) {
  auto values = importer.intsAttribute(name);
  if (values && (values->size() != count ||
                 llvm::any_of(*values, [&](int64_t value) { return value < least || value > kMostWindow; })))
    importer.unsupported("attribute " + name + " must hold " + std::to_string(count) + " values between " +
                         std::to_string(least) + " and " + std::to_string(kMostWindow));
  return values;
}

// The padding of one axis for auto_pad SAME_UPPER or SAME_LOWER: out = ceil(in / stride), the odd element at the end or
// at the beginning.
static std::pair<int64_t, int64_t> samePads(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, bool upper) {
  int64_t out = (in + stride - 1) / stride;
  int64_t total = std::max<int64_t>(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - in);
  int64_t small = total / 2, large = total - total / 2;
  return upper ? std::pair(small, large) : std::pair(large, small);
}

SmallVector<WindowImport::Axis> WindowImport::importAxes(std::optional<ArrayRef<int64_t>> kernel) const {
  auto rank = size_t(inputShape.size() - 2);
  auto values = [&](const std::string &name, size_t count, int64_t least) {
    return importWindowValues(importer, name, count, least);
  };
  auto kernelShape = values("kernel_shape", rank, 1), strides = values("strides", rank, 1),
       dilations = values("dilations", rank, 1);
  if (!kernelShape && !kernel)
    importer.unsupported("attribute kernel_shape is missing");
  if (kernel && kernelShape && *kernel != ArrayRef<int64_t>(*kernelShape))
    importer.unsupported("kernel_shape does not agree with the weight");
  std::string autoPad = importer.stringAttribute("auto_pad").value_or("NOTSET");
  if (autoPad != "NOTSET" && autoPad != "VALID" && autoPad != "SAME_UPPER" && autoPad != "SAME_LOWER")
    importer.unsupported("auto_pad " + autoPad + " is unknown");
  auto pads = autoPad == "NOTSET" ? values("pads", 2 * rank, 0) : std::nullopt;

  SmallVector<Axis> axes;
  for (size_t i = 0; i < rank; ++i) {
    Axis axis{inputShape[i + 2]};
    axis.kernel = kernel ? (*kernel)[i] : (*kernelShape)[i];
    axis.stride = strides ? (*strides)[i] : 1;
    axis.dilation = dilations ? (*dilations)[i] : 1;
    if (pads)
      std::tie(axis.before, axis.after) = std::pair((*pads)[i], (*pads)[i + rank]);
    else if (autoPad.starts_with("SAME"))
      std::tie(axis.before, axis.after) =
          samePads(axis.extent, axis.kernel, axis.stride, axis.dilation, autoPad == "SAME_UPPER");
    axes.push_back(axis);
  }
  return axes;
}

// Leaves two axes, and sees the input so.
void WindowImport::mergeAxes(SmallVector<Axis> &axes, bool perChannel) {
  SmallVector<int64_t> shape = inputShape;
  if (axes.size() == 1) {
    axes.insert(axes.begin(), Axis{1});
    shape.insert(shape.begin() + 2, 1);
  }
  if (axes.size() == 3) {
    int64_t idle = axes[1].isIdle() && (axes[0].isIdle() || axes[2].isIdle()) ? (axes[0].isIdle() ? 0 : 1) : -1;
    if (idle >= 0) { // takes in the idle axis behind it
      axes[idle].extent = shape[idle + 2] *= shape[idle + 3];
      axes.erase(axes.begin() + idle + 1);
      shape.erase(shape.begin() + idle + 3);
    } else if (perChannel && axes[0].isIdle()) {
      shape[1] *= shape[2];
      axes.erase(axes.begin());
      shape.erase(shape.begin() + 2);
    }
  }
  if (axes.size() != 2)
    importer.unsupported("a window that moves along " + std::to_string(axes.size()) + " axes cannot be trained");
  input = importer.builder.createOrFold<party::ReshapeOp>(importer.location,
                                                          floatTensor(importer.builder.getContext(), shape), input);
}

WindowImport::WindowImport(OnnxNodeImporter &importer, Value input, std::optional<ArrayRef<int64_t>> kernel)
    : importer(importer), input(input), inputShape(importer.typeOf(input).getShape()) {
  if (inputShape.size() < 3)
    importer.unsupported("its input has no axis to slide a window along");
  SmallVector<Axis> axes = importAxes(kernel);
  bool ceilMode = importer.intOr("ceil_mode", 0) != 0;
  outputShape = inputShape;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Window alone{axis.kernel, 1, axis.stride, 1, axis.dilation, 1, axis.before, 0, axis.after, 0, ceilMode};
    outputShape[i + 2] = alone.outputSize(axis.extent, 1).first;
  }
  mergeAxes(axes, !kernel);
  slid = {axes[0].kernel, axes[1].kernel, axes[0].stride, axes[1].stride, axes[0].dilation, axes[1].dilation,
          axes[0].before, axes[1].before, axes[0].after,  axes[1].after,  ceilMode};
  if (auto fault = slid.fault(axes[0].extent, axes[1].extent))
    importer.unsupported(*fault);
}

Value WindowImport::restored(Value output) const {
  if (outputShape.size() == 4)
    return output;
  SmallVector<int64_t> shape = outputShape;
  int64_t positions = 1;
  for (int64_t extent : ArrayRef(shape).drop_front(2))
    positions *= extent;
  shape[1] = collapsedExtent(importer.typeOf(output), 1, 4).fixed / positions;
  return importer.builder.create<party::ReshapeOp>(importer.location, floatTensor(importer.builder.getContext(), shape),
                                                   output);
}

} // namespace partyline
