//===- batch.h - samples with labels --------------------------------------===//
#pragma once

#include "tests/ops/tensor.h"

namespace partyline::ops_test {

/// Inputs in ONNX order. Values are floats, so that both sides compute with the same numbers.
struct Batch {
  Tensor inputs;                          ///< [samples, ...]
  std::vector<int32_t> labels, sampleIds; ///< labels: one or more for each sample
  Tensor targets = {}; ///< of the output's shape, in place of labels; empty where the loss takes these

  int64_t size() const { return int64_t(sampleIds.size()); }
};

/// Inputs in [-1, 1), labels below `classes`, different sample ids.
Batch randomBatch(int64_t samples, Shape sampleShape, int64_t classes, uint64_t seed);

/// `count` samples from `first` on.
Batch slice(const Batch &batch, int64_t first, int64_t count);

} // namespace partyline::ops_test
