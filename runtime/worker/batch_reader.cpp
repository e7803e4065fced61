//===- batch_reader.cpp ---------------------------------------------------===//
#include "runtime/worker/batch_reader.h"

#include "runtime/shared/layout.h"

#include <algorithm>

namespace partyline::runtime {

BatchReader::BatchReader(int64_t microBatch, int64_t sampleElements, int64_t targetElements, bool takesLabels)
    : sampleElements(sampleElements), targetElements(targetElements), takesLabels(takesLabels),
      stored(size_t(microBatch * sampleElements)), sample(size_t(sampleElements)),
      labels(size_t(takesLabels ? microBatch * targetElements : 0)),
      targets(size_t(takesLabels ? 0 : microBatch * targetElements)), thread([this] { read(); }) {
  samples.reserve(size_t(microBatch));
}

BatchReader::~BatchReader() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  thread.join();
}

void BatchReader::enqueue(BatchRequest request) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    requests.push_back(std::move(request));
  }
  changed.notify_all();
}

int64_t BatchReader::take(float *input, void *targetsOut, int32_t *sampleIds) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [this] { return full || failure; });
  if (failure)
    std::rethrow_exception(failure);
  const int64_t count = int64_t(samples.size());
  std::copy_n(stored.begin(), count * sampleElements, input);
  if (takesLabels)
    std::copy_n(labels.begin(), count * targetElements, static_cast<int32_t *>(targetsOut));
  else
    std::copy_n(targets.begin(), count * targetElements, static_cast<float *>(targetsOut));
  if (sampleIds)
    std::copy_n(samples.begin(), count, sampleIds);
  full = false;
  lock.unlock();
  changed.notify_all();
  return count;
}

void BatchReader::read() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return stopping || (!requests.empty() && !full); });
    if (stopping)
      return;
    const BatchRequest request = std::move(requests.front());
    requests.pop_front();
    lock.unlock();
    std::exception_ptr exception;
    try {
      fill(request);
    } catch (...) {
      exception = std::current_exception();
    }
    lock.lock();
    full = !exception;
    failure = exception;
    changed.notify_all();
    if (failure)
      return;
  }
}

void BatchReader::fill(const BatchRequest &request) {
  const bool asInOnnx = request.input->layout == Layout{};
  samples = request.samples;
  for (size_t i = 0; i < samples.size(); ++i) {
    float *place = stored.data() + int64_t(i) * sampleElements;
    request.dataset->read(samples[i], asInOnnx ? place : sample.data());
    if (takesLabels)
      request.dataset->readLabels(samples[i], labels.data() + int64_t(i) * targetElements);
    else
      fillTargets(*request.dataset, samples[i], targets.data() + int64_t(i) * targetElements);
    if (!asInOnnx)
      storeInLayout(sample.data(), request.input->shape, request.input->layout, place);
  }
}

void BatchReader::fillTargets(const Dataset &dataset, int64_t index, float *target) const {
  if (!dataset.hasLabels())
    return dataset.readTargets(index, target);
  int32_t label;
  dataset.readLabels(index, &label);
  targetsOfLabel(label, targetElements, target);
}

} // namespace partyline::runtime
