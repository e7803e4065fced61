//===- batch.cpp ----------------------------------------------------------===//
#include "tests/ops/batch.h"

#include "tests/ops/random.h"

namespace partyline::ops_test {

Batch randomBatch(int64_t samples, Shape sampleShape, int64_t classes, uint64_t seed) {
  Random random(seed);
  Batch batch;
  sampleShape.insert(sampleShape.begin(), samples);
  batch.inputs = Tensor(sampleShape);
  for (double &value : batch.inputs.data)
    value = random.real(-1, 1);
  for (int64_t i = 0; i < samples; ++i) {
    batch.labels.push_back(int32_t(random.integer(0, classes - 1)));
    batch.sampleIds.push_back(int32_t(1000 * i + random.integer(0, 999)));
  }
  return batch;
}

template <typename T> static std::vector<T> part(const std::vector<T> &values, int64_t first, int64_t count) {
  return {values.begin() + first, values.begin() + first + count};
}

static Tensor part(const Tensor &tensor, int64_t first, int64_t count) {
  Tensor result;
  const int64_t elements = tensor.size() / tensor.shape[0];
  result.shape = tensor.shape;
  result.shape[0] = count;
  result.data = part(tensor.data, first * elements, count * elements);
  return result;
}

Batch slice(const Batch &batch, int64_t first, int64_t count) {
  Batch result;
  result.inputs = part(batch.inputs, first, count);
  const int64_t labelsOfOne = int64_t(batch.labels.size()) / batch.size();
  result.labels = part(batch.labels, first * labelsOfOne, count * labelsOfOne);
  result.sampleIds = part(batch.sampleIds, first, count);
  if (batch.targets.size() > 0)
    result.targets = part(batch.targets, first, count);
  return result;
}

} // namespace partyline::ops_test
