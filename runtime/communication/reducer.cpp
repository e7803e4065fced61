//===- reducer.cpp --------------------------------------------------------===//
#include "runtime/communication/reducer.h"

#include <algorithm>

namespace partyline::runtime {

static int64_t largestBucket(const std::vector<ManifestBucket> &buckets) {
  int64_t largest = 0;
  for (const ManifestBucket &bucket : buckets)
    largest = std::max(largest, bucket.last - bucket.first);
  return largest;
}

Reducer::Reducer(Communicator &communicator, const std::vector<ManifestBucket> &buckets, float *gradients)
    : communicator(communicator), ranges(buckets), gradients(gradients),
      allreduce(communicator, largestBucket(buckets)), ready(buckets.size(), false) {
  if (communicator.size() > 1)
    thread = std::thread([this] { drive(); });
}

Reducer::~Reducer() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
    // A bucket on the wire here means that something went wrong: the others may never answer.
    if (busy)
      communicator.cancel();
  }
  signalled.notify_all();
  if (thread.joinable())
    thread.join();
}

void Reducer::signal(int64_t bucket) {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    ready[size_t(bucket)] = true;
  }
  signalled.notify_one();
}

void Reducer::wait(int64_t bucket) {
  if (!thread.joinable())
    return;
  std::unique_lock<std::mutex> lock(mutex);
  reduced.wait(lock, [&] { return done > bucket || failure; });
  if (failure)
    std::rethrow_exception(failure);
  if (bucket + 1 == buckets()) {
    std::fill(ready.begin(), ready.end(), false);
    done = 0;
  }
}

void Reducer::drive() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    signalled.wait(lock, [this] { return stopping || (done < buckets() && ready[size_t(done)]); });
    if (stopping)
      return;
    const ManifestBucket &range = ranges[size_t(done)];
    busy = true;
    lock.unlock();
    std::exception_ptr exception;
    try {
      allreduce.sum(gradients + range.first, range.last - range.first);
    } catch (...) {
      exception = std::current_exception();
    }
    lock.lock();
    busy = false;
    if (exception) {
      failure = exception;
      reduced.notify_all();
      return;
    }
    ++done;
    reduced.notify_all();
  }
}

} // namespace partyline::runtime
