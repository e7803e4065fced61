//===- reference_linear.cpp - convolution and matrix product --------------===//
#include "tests/ops/reference.h"

using namespace mlir;

namespace partyline::ops_test {

// ONNX Conv: output channel o of group g takes the input channels of group g; outside the image there are zeros.
static std::vector<Tensor> conv(Operation *op, const Operands &operands, ReferenceRun &) {
  auto attributes = cast<party::ConvOp>(op);
  const Tensor &x = *operands[0], &w = *operands[1];
  const Shape strides(attributes.getStrides()), dilations(attributes.getDilations()), pads(attributes.getPads());
  const int64_t groups = int64_t(attributes.getGroups());
  const int64_t samples = x.shape[0], channels = x.shape[1], height = x.shape[2], width = x.shape[3];
  const int64_t filters = w.shape[0], groupChannels = w.shape[1], kernelH = w.shape[2], kernelW = w.shape[3];
  const int64_t outHeight = (height + pads[0] + pads[2] - dilations[0] * (kernelH - 1) - 1) / strides[0] + 1;
  const int64_t outWidth = (width + pads[1] + pads[3] - dilations[1] * (kernelW - 1) - 1) / strides[1] + 1;
  Tensor y({samples, filters, outHeight, outWidth});
  int64_t element = 0;
  for (int64_t n = 0; n < samples; ++n)
    for (int64_t o = 0; o < filters; ++o)
      for (int64_t oy = 0; oy < outHeight; ++oy)
        for (int64_t ox = 0; ox < outWidth; ++ox) {
          double sum = operands.size() > 2 ? (*operands[2])[o] : 0;
          for (int64_t c = 0; c < groupChannels; ++c)
            for (int64_t ky = 0; ky < kernelH; ++ky)
              for (int64_t kx = 0; kx < kernelW; ++kx) {
                const int64_t iy = oy * strides[0] + ky * dilations[0] - pads[0];
                const int64_t ix = ox * strides[1] + kx * dilations[1] - pads[1];
                if (iy < 0 || iy >= height || ix < 0 || ix >= width)
                  continue;
                const int64_t channel = o / (filters / groups) * groupChannels + c;
                sum += x[((n * channels + channel) * height + iy) * width + ix] *
                       w[((o * groupChannels + c) * kernelH + ky) * kernelW + kx];
              }
          y[element++] = sum;
        }
  return {y};
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

// [..., K] x [K, N] (+ [N]).
static std::vector<Tensor> matmul(Operation *, const Operands &operands, ReferenceRun &) {
  const Tensor &x = *operands[0], &w = *operands[1];
  const int64_t inner = w.shape[0], columns = w.shape[1];
  Shape shape = x.shape;
  shape.back() = columns;
  Tensor y(shape);
  for (int64_t row = 0; row < x.size() / inner; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      double sum = operands.size() > 2 ? (*operands[2])[column] : 0;
      for (int64_t k = 0; k < inner; ++k)
        sum += x[row * inner + k] * w[k * columns + column];
      y[row * columns + column] = sum;
    }
  return {y};
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

} // namespace partyline::ops_test
