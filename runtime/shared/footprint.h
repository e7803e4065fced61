//===- footprint.h - the worker's memory besides the arena ----------------===//
//
// The planner adds these to the arena to predict a worker's peak; the worker allocates what they say. Header only.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/shared/manifest.h"

#include <algorithm>

namespace partyline {

/// The worker's code, libraries, stacks, MPI's buffers and the tables of a dataset. Measured as VmHWM less all that is
/// planned, OpenMPI 4.1 on x86-64: 16.4 MB with two small arrays on one rank, 16.9 MB on eight, 20.0 MB with CIFAR-10's
/// 60,000 image files.
inline constexpr int64_t kWorkerBaseBytes = 20 << 20;

/// A ring's messages are cut to this many bytes: received pieces are added while the next is on its way.
inline constexpr int64_t kRingPieceBytes = 256 << 10;

/// The largest part of a bucket of `elements` floats that one of `ranks` ranks owns, in floats: a multiple of a cache
/// line's 16.
inline int64_t ringChunkElements(int64_t elements, int64_t ranks) {
  const int64_t even = (elements + ranks - 1) / ranks;
  return (even + 15) / 16 * 16;
}

/// Scratch memory of a ring allreduce: two pieces, one that arrives and one that is added.
inline int64_t ringScratchBytes(int64_t elements, int64_t ranks) {
  if (ranks <= 1)
    return 0;
  return 2 * std::min(ringChunkElements(elements, ranks) * int64_t(sizeof(float)), kRingPieceBytes);
}

/// What a rank allocates for communication: scratch for the largest bucket. MPI's own buffers are in kWorkerBaseBytes.
inline int64_t communicationBytes(const std::vector<ManifestBucket> &buckets, int64_t ranks) {
  int64_t bytes = 0;
  for (const ManifestBucket &bucket : buckets)
    bytes = std::max(bytes, ringScratchBytes(bucket.last - bucket.first, ranks));
  return bytes;
}

/// What a rank allocates to read data: one micro-batch read ahead, and one sample in ONNX order. `sampleElements`:
/// floats of one sample; `targetElements`: of its targets, 1 for a label. The dataset's own tables (an image folder's
/// file names, the order of an epoch at 4 bytes a sample) and arrays that are mapped come on top.
inline int64_t batchReaderBytes(int64_t microBatch, int64_t sampleElements, int64_t targetElements) {
  static_assert(sizeof(float) == sizeof(int32_t)); // samples and targets, labels and numbers of samples
  return ((microBatch + 1) * sampleElements + microBatch * (targetElements + 1)) * int64_t(sizeof(float));
}

/// What rank 0 allocates while it writes or reads a checkpoint: a copy of weights and optimizer state.
inline int64_t checkpointBytes(int64_t gradientElements, int64_t optimizerSlots) {
  return gradientElements * (1 + optimizerSlots) * int64_t(sizeof(float));
}

} // namespace partyline
