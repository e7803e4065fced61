//===- reference_linear.cpp - convolution and matrix product --------------===//
#include "tests/ops/reference.h"

using namespace mlir;

namespace partyline::ops_test {

template <typename T> static std::vector<T> valuesOf(const Tensor &tensor) {
  return std::vector<T>(tensor.data.begin(), tensor.data.end());
}

template <typename T> static Tensor tensorOf(const Shape &shape, const std::vector<T> &values) {
  Tensor tensor(shape);
  std::copy(values.begin(), values.end(), tensor.data.begin());
  return tensor;
}

/// The products of an ONNX Conv, row by row: visit(w, x, y, count, step) for `count` outputs from y on that take the
/// weight w times the inputs from x on, which are `step` apart. Output channel o of group g takes the input channels of
/// group g; outside the image there are zeros.
template <typename Visit>
static void visitConv(party::ConvOp op, const Shape &x, const Shape &w, const Shape &y, Visit visit) {
  const Shape strides(op.getStrides()), dilations(op.getDilations()), pads(op.getPads());
  const int64_t groupFilters = y[1] / int64_t(op.getGroups());
  for (int64_t n = 0; n < x[0]; ++n)
    for (int64_t o = 0; o < y[1]; ++o)
      for (int64_t c = 0; c < w[1]; ++c)
        for (int64_t ky = 0; ky < w[2]; ++ky)
          for (int64_t kx = 0; kx < w[3]; ++kx) {
            const int64_t left = kx * dilations[1] - pads[1], channel = o / groupFilters * w[1] + c;
            int64_t first = 0, end = y[3];
            while (first < end && first * strides[1] + left < 0)
              ++first;
            while (end > first && (end - 1) * strides[1] + left >= x[3])
              --end;
            for (int64_t oy = 0; oy < y[2] && first < end; ++oy) {
              const int64_t iy = oy * strides[0] + ky * dilations[0] - pads[0];
              if (iy >= 0 && iy < x[2])
                visit(((o * w[1] + c) * w[2] + ky) * w[3] + kx,
                      ((n * x[1] + channel) * x[2] + iy) * x[3] + first * strides[1] + left,
                      ((n * y[1] + o) * y[2] + oy) * y[3] + first, end - first, strides[1]);
            }
          }
}

static int64_t convOutputs(party::ConvOp op, const Shape &x, const Shape &w, size_t axis) {
  const int64_t reach = op.getDilations()[axis] * (w[2 + axis] - 1) + 1;
  return (x[2 + axis] + op.getPads()[axis] + op.getPads()[2 + axis] - reach) / op.getStrides()[axis] + 1;
}

template <typename T> static Tensor convIn(party::ConvOp op, const Operands &operands) {
  const Tensor &x = *operands[0], &w = *operands[1];
  const Shape shape = {x.shape[0], w.shape[0], convOutputs(op, x.shape, w.shape, 0),
                       convOutputs(op, x.shape, w.shape, 1)};
  const std::vector<T> inputs = valuesOf<T>(x), weights = valuesOf<T>(w);
  std::vector<T> outputs(size_t(product(shape)));
  if (operands.size() > 2)
    for (size_t i = 0; i < outputs.size(); ++i)
      outputs[i] = T((*operands[2])[int64_t(i) / (shape[2] * shape[3]) % shape[1]]);
  visitConv(op, x.shape, w.shape, shape, [&](int64_t weight, int64_t in, int64_t out, int64_t count, int64_t step) {
    for (int64_t i = 0; i < count; ++i)
      outputs[size_t(out + i)] += weights[size_t(weight)] * inputs[size_t(in + i * step)];
  });
  return tensorOf(shape, outputs);
}

static std::vector<Tensor> conv(Operation *op, const Operands &operands, ReferenceRun &run) {
  auto convolution = cast<party::ConvOp>(op);
  return {run.inFloat ? convIn<float>(convolution, operands) : convIn<double>(convolution, operands)};
}

template <typename T> static std::vector<Tensor> convGradientsIn(party::ConvOp op, const ReferenceResult &at) {
  const Tensor &x = *at.operands[0], &w = *at.operands[1];
  const std::vector<T> inputs = valuesOf<T>(x), weights = valuesOf<T>(w), gradients = valuesOf<T>(at.gradient);
  std::vector<T> dx(inputs.size()), dw(weights.size());
  visitConv(op, x.shape, w.shape, at.gradient.shape,
            [&](int64_t weight, int64_t in, int64_t out, int64_t count, int64_t step) {
              T sum = 0;
              for (int64_t i = 0; i < count; ++i) {
                dx[size_t(in + i * step)] += weights[size_t(weight)] * gradients[size_t(out + i)];
                sum += inputs[size_t(in + i * step)] * gradients[size_t(out + i)];
              }
              dw[size_t(weight)] += sum;
            });
  std::vector<Tensor> result = {tensorOf(x.shape, dx), tensorOf(w.shape, dw)};
  if (at.operands.size() > 2)
    result.push_back(sumsOfChannels(at.gradient));
  return result;
}

static std::vector<Tensor> convGradients(Operation *op, const ReferenceResult &at, ReferenceRun &run) {
  auto convolution = cast<party::ConvOp>(op);
  return run.inFloat ? convGradientsIn<float>(convolution, at) : convGradientsIn<double>(convolution, at);
}

// ONNX ConvTranspose: every input element adds its multiple of the kernel to the output.
static std::vector<Tensor> convTranspose(Operation *op, const Operands &operands, ReferenceRun &) {
  auto attributes = cast<party::ConvTransposeOp>(op);
  const Tensor &x = *operands[0], &w = *operands[1];
  const Shape strides(attributes.getStrides()), dilations(attributes.getDilations()), pads(attributes.getPads()),
      size(attributes.getOutputSize());
  const int64_t groups = int64_t(attributes.getGroups()), channels = x.shape[1], groupFilters = w.shape[1];
  Tensor y({x.shape[0], groupFilters * groups, size[0], size[1]});
  int64_t element = 0;
  for (int64_t n = 0; n < x.shape[0]; ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t iy = 0; iy < x.shape[2]; ++iy)
        for (int64_t ix = 0; ix < x.shape[3]; ++ix, ++element)
          for (int64_t f = 0; f < groupFilters; ++f)
            for (int64_t ky = 0; ky < w.shape[2]; ++ky)
              for (int64_t kx = 0; kx < w.shape[3]; ++kx) {
                const int64_t oy = iy * strides[0] + ky * dilations[0] - pads[0];
                const int64_t ox = ix * strides[1] + kx * dilations[1] - pads[1];
                if (oy < 0 || oy >= size[0] || ox < 0 || ox >= size[1])
                  continue;
                const int64_t filter = c / (channels / groups) * groupFilters + f;
                y[((n * y.shape[1] + filter) * size[0] + oy) * size[1] + ox] +=
                    x[element] * w[((c * groupFilters + f) * w.shape[2] + ky) * w.shape[3] + kx];
              }
  return {y};
}

template <typename T> static Tensor matmulIn(const Operands &operands) {
  const Tensor &x = *operands[0], &w = *operands[1];
  const int64_t inner = w.shape[0], columns = w.shape[1];
  const std::vector<T> inputs = valuesOf<T>(x), weights = valuesOf<T>(w);
  Shape shape = x.shape;
  shape.back() = columns;
  std::vector<T> outputs(size_t(product(shape)));
  for (int64_t row = 0; row < x.size() / inner; ++row) {
    T *output = &outputs[size_t(row * columns)];
    for (int64_t column = 0; column < columns; ++column)
      output[column] = operands.size() > 2 ? T((*operands[2])[column]) : 0;
    for (int64_t k = 0; k < inner; ++k)
      for (int64_t column = 0; column < columns; ++column)
        output[column] += inputs[size_t(row * inner + k)] * weights[size_t(k * columns + column)];
  }
  return tensorOf(shape, outputs);
}

// [..., K] x [K, N] (+ [N]).
static std::vector<Tensor> matmul(Operation *, const Operands &operands, ReferenceRun &run) {
  return {run.inFloat ? matmulIn<float>(operands) : matmulIn<double>(operands)};
}

template <typename T> static std::vector<Tensor> matmulGradientsIn(const ReferenceResult &at) {
  const Tensor &x = *at.operands[0], &w = *at.operands[1];
  const int64_t inner = w.shape[0], columns = w.shape[1];
  const std::vector<T> inputs = valuesOf<T>(x), weights = valuesOf<T>(w), gradients = valuesOf<T>(at.gradient);
  std::vector<T> dx(inputs.size()), dw(weights.size());
  for (int64_t row = 0; row < x.size() / inner; ++row)
    for (int64_t k = 0; k < inner; ++k)
      for (int64_t column = 0; column < columns; ++column) {
        const T gradient = gradients[size_t(row * columns + column)];
        dx[size_t(row * inner + k)] += weights[size_t(k * columns + column)] * gradient;
        dw[size_t(k * columns + column)] += inputs[size_t(row * inner + k)] * gradient;
      }
  std::vector<Tensor> result = {tensorOf(x.shape, dx), tensorOf(w.shape, dw)};
  if (at.operands.size() > 2) {
    Tensor rows = at.gradient;
    rows.shape = {rows.size() / columns, columns};
    result.push_back(sumsOfChannels(rows));
  }
  return result;
}

static std::vector<Tensor> matmulGradients(Operation *, const ReferenceResult &at, ReferenceRun &run) {
  return run.inFloat ? matmulGradientsIn<float>(at) : matmulGradientsIn<double>(at);
}

// [..., M, K] x [..., K, N].
static std::vector<Tensor> batchMatmul(Operation *, const Operands &operands, ReferenceRun &) {
  const Tensor &a = *operands[0], &b = *operands[1];
  const size_t rank = a.shape.size();
  const int64_t rows = a.shape[rank - 2], inner = a.shape[rank - 1], columns = b.shape[rank - 1];
  Shape shape = a.shape;
  shape.back() = columns;
  Tensor y(shape);
  for (int64_t element = 0; element < y.size(); ++element) {
    const int64_t column = element % columns, row = element / columns, matrix = row / rows;
    for (int64_t k = 0; k < inner; ++k)
      y[element] += a[row * inner + k] * b[(matrix * inner + k) * columns + column];
  }
  return {y};
}

const std::map<std::string, ReferenceOp> &linearReference() {
  static const std::map<std::string, ReferenceOp> table = {{"party.batch_matmul", batchMatmul},
                                                           {"party.conv", conv},
                                                           {"party.conv_transpose", convTranspose},
                                                           {"party.matmul", matmul}};
  return table;
}

const std::map<std::string, ReferenceGradient> &linearGradients() {
  static const std::map<std::string, ReferenceGradient> table = {{"party.conv", convGradients},
                                                                 {"party.matmul", matmulGradients}};
  return table;
}

} // namespace partyline::ops_test
