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

/// Calls visit(output element, input element) for every pair of a window and an input inside it, windows in their order
/// and every window in row-major order.
template <typename Visit> static void visitWindows(const Shape &y, const Axis &rows, const Axis &columns, Visit visit) {
  int64_t element = 0;
  for (int64_t image = 0; image < y[0] * y[1]; ++image)
    for (int64_t oy = 0; oy < y[2]; ++oy)
      for (int64_t ox = 0; ox < y[3]; ++ox, ++element)
        for (int64_t ky = 0; ky < rows.kernel; ++ky)
          for (int64_t kx = 0; kx < columns.kernel; ++kx) {
            const int64_t iy = rows.position(oy, ky), ix = columns.position(ox, kx);
            if (rows.isInside(iy) && columns.isInside(ix))
              visit(element, (image * rows.in + iy) * columns.in + ix);
          }
}

// The first maximum of a window takes all.
static std::vector<Tensor> maxPoolGradients(Operation *op, const ReferenceResult &at, ReferenceRun &) {
  auto attributes = cast<party::MaxPoolOp>(op);
  const Tensor &x = *at.operands[0], &y = *at.results[0];
  auto [rows, columns] = axesOf(attributes, x, Shape(attributes.getDilations()));
  Tensor dx(x.shape);
  int64_t given = -1; // the last output whose gradient has gone to an input
  visitWindows(y.shape, rows, columns, [&](int64_t out, int64_t in) {
    if (out == given || x[in] != y[out])
      return;
    dx[in] += at.gradient[out];
    given = out;
  });
  return {dx};
}

static std::vector<Tensor> averagePoolGradients(Operation *op, const ReferenceResult &at, ReferenceRun &) {
  auto attributes = cast<party::AveragePoolOp>(op);
  const Tensor &x = *at.operands[0];
  auto [rows, columns] = axesOf(attributes, x, {1, 1});
  auto countOf = [&](const Axis &axis, int64_t out) {
    int64_t count = 0;
    for (int64_t k = 0; k < axis.kernel; ++k) {
      const int64_t position = axis.position(out, k);
      count += attributes.getCountIncludePad() ? axis.isInsidePadded(position) : axis.isInside(position);
    }
    return count;
  };
  const Shape &y = at.gradient.shape;
  Tensor dx(x.shape);
  visitWindows(y, rows, columns, [&](int64_t out, int64_t in) {
    dx[in] += at.gradient[out] / double(countOf(rows, out / y[3] % y[2]) * countOf(columns, out % y[3]));
  });
  return {dx};
}

static std::vector<Tensor> globalAveragePoolGradients(Operation *, const ReferenceResult &at, ReferenceRun &) {
  Tensor dx(at.operands[0]->shape);
  const int64_t positions = dx.size() / at.gradient.size();
  for (int64_t i = 0; i < dx.size(); ++i)
    dx[i] = at.gradient[i / positions] / double(positions);
  return {dx};
}

const std::map<std::string, ReferenceOp> &poolingReference() {
  static const std::map<std::string, ReferenceOp> table = {{"party.max_pool", maxPool},
                                                           {"party.average_pool", averagePool},
                                                           {"party.global_average_pool", globalAveragePool}};
  return table;
}

const std::map<std::string, ReferenceGradient> &poolingGradients() {
  static const std::map<std::string, ReferenceGradient> table = {
      {"party.max_pool", maxPoolGradients},
      {"party.average_pool", averagePoolGradients},
      {"party.global_average_pool", globalAveragePoolGradients}};
  return table;
}

} // namespace partyline::ops_test
