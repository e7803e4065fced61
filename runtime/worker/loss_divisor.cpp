//===- loss_divisor.cpp ---------------------------------------------------===//
#include "runtime/worker/loss_divisor.h"

#include "runtime/shared/layout.h"

#include <algorithm>

namespace partyline::runtime {

LossDivisor::LossDivisor(const Manifest &manifest, const ManifestClass &deviceClass, const Arena &arena)
    : reduction(manifest.reduction),
      labelsOfOne(takesLabels(manifest.options) ? elementCount(deviceClass.labels.shape) : 1) {
  for (const ManifestTensor &tensor : manifest.tensors)
    if (!reduction.classWeights.empty() && tensor.name == reduction.classWeights) {
      const float *weights = arena.at<float>(deviceClass.weightsOffset) + tensor.offset;
      classWeights.assign(weights, weights + tensor.elements);
    }
}

double LossDivisor::weight(const Dataset &dataset, const std::vector<uint32_t> &samples) const {
  if (reduction.name != "mean" || (!reduction.ignoreIndex && classWeights.empty()))
    return double(int64_t(samples.size()) * labelsOfOne);
  std::vector<int32_t> labels(static_cast<size_t>(labelsOfOne));
  double sum = 0;
  for (uint32_t sample : samples) {
    dataset.readLabels(sample, labels.data());
    for (int32_t label : labels)
      if (keeps(label))
        sum += classWeights.empty() ? 1 : classWeights[size_t(label)];
  }
  return sum;
}

} // namespace partyline::runtime
