//===- reference_pooling.cpp - pooling ------------------------------------===//
#include "tests/ops/reference.h"

#include <limits>

using namespace mlir;

namespace partyline::ops_test {

namespace {

/// One axis of a window.
struct Axis {
  int64_t in, kernel, stride, dilation, padBefore, padAfter;

  /// ONNX since opset 19: with ceil_mode a last window counts where it begins inside the image or its leading padding.
  int64_t outputs(bool ceilMode) const {
    int64_t count = 0;
    auto begins = [&] { return count * stride - padBefore; };
    const int64_t reach = (kernel - 1) * dilation + 1;
    while (begins() + reach <= in + padAfter)
      ++count;
    const bool isHanging = count == 0 || begins() - stride + reach < in + padAfter;
    return ceilMode && isHanging && begins() < in ? count + 1 : count;
  }
  int64_t position(int64_t out, int64_t k) const { return out * stride + k * dilation - padBefore; }
  bool isInside(int64_t position) const { return position >= 0 && position < in; }
  bool isInsidePadded(int64_t position) const { return position >= -padBefore && position < in + padAfter; }
};

} // namespace

template <typename PoolOp> static std::pair<Axis, Axis> axesOf(PoolOp op, const Tensor &x, const Shape &dilations) {
  auto axis = [&](size_t i) {
    return Axis{x.shape[2 + i], op.getKernel()[i], op.getStrides()[i],
                dilations[i],   op.getPads()[i],   op.getPads()[2 + i]};
  };
  return {axis(0), axis(1)};
}

/// Calls window(image, y, x) for every output of [N, C, H, W]; its value is the output's.
template <typename Window>
static Tensor pool(const Tensor &x, const Axis &rows, const Axis &columns, bool ceilMode, Window window) {
  const int64_t height = rows.outputs(ceilMode), width = columns.outputs(ceilMode);
  Tensor y({x.shape[0], x.shape[1], height, width});
  int64_t element = 0;
  for (int64_t image = 0; image < x.shape[0] * x.shape[1]; ++image)
    for (int64_t oy = 0; oy < height; ++oy)
      for (int64_t ox = 0; ox < width; ++ox)
        y[element++] = window(image * rows.in * columns.in, oy, ox);
  return y;
}

static std::vector<Tensor> maxPool(Operation *op, const Operands &operands, ReferenceRun &) {
  auto attributes = cast<party::MaxPoolOp>(op);
  const Tensor &x = *operands[0];
  auto [rows, columns] = axesOf(attributes, x, Shape(attributes.getDilations()));
  return {pool(x, rows, columns, attributes.getCeilMode(), [&](int64_t image, int64_t oy, int64_t ox) {
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t ky = 0; ky < rows.kernel; ++ky)
      for (int64_t kx = 0; kx < columns.kernel; ++kx) {
        const int64_t iy = rows.position(oy, ky), ix = columns.position(ox, kx);
        if (rows.isInside(iy) && columns.isInside(ix))
          largest = std::max(largest, x[image + iy * columns.in + ix]);
      }
    return largest;
  })};
}

static std::vector<Tensor> averagePool(Operation *op, const Operands &operands, ReferenceRun &) {
  auto attributes = cast<party::AveragePoolOp>(op);
  const Tensor &x = *operands[0];
  auto [rows, columns] = axesOf(attributes, x, {1, 1});
  return {pool(x, rows, columns, attributes.getCeilMode(), [&](int64_t image, int64_t oy, int64_t ox) {
    double sum = 0;
    int64_t count = 0;
    for (int64_t ky = 0; ky < rows.kernel; ++ky)
      for (int64_t kx = 0; kx < columns.kernel; ++kx) {
        const int64_t iy = rows.position(oy, ky), ix = columns.position(ox, kx);
        const bool isInside = rows.isInside(iy) && columns.isInside(ix);
        if (isInside)
          sum += x[image + iy * columns.in + ix];
        count += isInside || (attributes.getCountIncludePad() && rows.isInsidePadded(iy) && columns.isInsidePadded(ix));
      }
    return sum / double(count);
  })};
}

static std::vector<Tensor> globalAveragePool(Operation *, const Operands &operands, ReferenceRun &) {
  const Tensor &x = *operands[0];
  Shape shape(x.shape.size(), 1);
  shape[0] = x.shape[0];
  shape[1] = x.shape[1];
  Tensor y(shape);
  const int64_t positions = x.size() / y.size();
  for (int64_t i = 0; i < x.size(); ++i)
    y[i / positions] += x[i] / double(positions);
  return {y};
}

const std::map<std::string, ReferenceOp> &poolingReference() {
  static const std::map<std::string, ReferenceOp> table = {{"party.max_pool", maxPool},
                                                           {"party.average_pool", averagePool},
                                                           {"party.global_average_pool", globalAveragePool}};
  return table;
}

} // namespace partyline::ops_test
