//===- batch_reader.h - micro-batches are read ahead ----------------------===//
#pragma once

#include "runtime/data/dataset.h"
#include "runtime/shared/manifest.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace partyline::runtime {

/// One micro-batch to read: samples of a dataset, stored as `input` says.
struct BatchRequest {
  const Dataset *dataset = nullptr;
  const ManifestBuffer *input = nullptr;
  std::vector<uint32_t> samples;
};

/// A thread that reads the next micro-batch while the step loop works on this one. Memory for one micro-batch (see
/// batchReaderBytes): it is copied into the arena when it is taken, which is when the thread may begin the next.
class BatchReader {
public:
  /// `targetElements`: labels of a sample, or numbers that its output is compared with.
  BatchReader(int64_t microBatch, int64_t sampleElements, int64_t targetElements, bool takesLabels);
  ~BatchReader();
  BatchReader(const BatchReader &) = delete;
  BatchReader &operator=(const BatchReader &) = delete;

  void enqueue(BatchRequest request);

  /// Waits for the oldest request, copies it, and returns its number of samples. `targets`: labels (int32) or targets
  /// (float32). `sampleIds` may be null. Throws what reading it threw.
  int64_t take(float *input, void *targets, int32_t *sampleIds);

private:
  void read();
  void fill(const BatchRequest &request);
  void fillTargets(const Dataset &dataset, int64_t index, float *target) const;

  const int64_t sampleElements, targetElements;
  const bool takesLabels;
  std::vector<float> stored, sample; ///< a micro-batch as the arena has it; one sample in ONNX order
  std::vector<int32_t> labels;       ///< these or
  std::vector<float> targets;        ///< these
  std::vector<uint32_t> samples;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<BatchRequest> requests;
  bool full = false; ///< a micro-batch waits to be taken
  bool stopping = false;
  std::exception_ptr failure;
  std::thread thread;
};

} // namespace partyline::runtime
