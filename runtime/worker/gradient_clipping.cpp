//===- gradient_clipping.cpp ----------------------------------------------===//
#include "runtime/worker/gradient_clipping.h"

#include <cmath>

namespace partyline::runtime {

/// In several sums side by side: one alone would wait for each addition.
static double squaredNorm(const float *values, int64_t count) {
  constexpr int64_t lanes = 8;
  double sums[lanes] = {}, total = 0;
  for (int64_t i = 0; i < count; ++i)
    sums[i % lanes] += double(values[i]) * double(values[i]);
  for (double sum : sums)
    total += sum;
  return total;
}

double clipGradients(const Manifest &manifest, float *gradients, double most) {
  double squares = 0;
  for (const ManifestTensor &tensor : manifest.tensors)
    if (tensor.kind == TensorKind::parameter)
      squares += squaredNorm(gradients + tensor.offset, tensor.elements);
  const double norm = std::sqrt(squares);
  const float coefficient = float(most / (norm + 1e-6));
  if (coefficient < 1)
    for (const ManifestTensor &tensor : manifest.tensors)
      if (tensor.kind == TensorKind::parameter)
        for (float *value = gradients + tensor.offset; value < gradients + tensor.offset + tensor.elements; ++value)
          *value *= coefficient;
  return norm;
}

} // namespace partyline::runtime
