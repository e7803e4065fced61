//===- reducer.h - gradients are summed while backward goes on ------------===//
//
// The protocol of a step, for buckets 0 .. n-1:
//   a. The step loop calls signal(i) once bucket i of its own gradients is final, in any order.
//   b. The driver sums bucket i over the ranks once it is signalled and buckets 0 .. i-1 are done: in order, so that
//   all
//      ranks have the same bucket on the wire.
//   c. After backward the step loop calls wait(0), ..., wait(n-1) and updates the bucket's weights after each.
//   d. After wait(n-1) the next step may signal.
// The driver is a thread: nothing moves in MPI unless somebody calls it. What goes wrong in it comes out of wait().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/communication/ring_allreduce.h"
#include "runtime/shared/manifest.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace partyline::runtime {

class Reducer {
public:
  /// `gradients`: the gradient arena. The communicator is the driver's alone.
  Reducer(Communicator &communicator, const std::vector<ManifestBucket> &buckets, float *gradients);
  /// Stops the driver; a bucket that is on the wire is given up.
  ~Reducer();
  Reducer(const Reducer &) = delete;
  Reducer &operator=(const Reducer &) = delete;

  int64_t buckets() const { return int64_t(ranges.size()); }
  void signal(int64_t bucket);
  void wait(int64_t bucket);

private:
  void drive();

  Communicator &communicator;
  const std::vector<ManifestBucket> ranges;
  float *const gradients;
  RingAllreduce allreduce;

  std::mutex mutex;
  std::condition_variable signalled, reduced;
  std::vector<bool> ready; ///< signalled in this step
  int64_t done = 0;        ///< buckets reduced in this step
  bool busy = false;       ///< a bucket is on the wire
  bool stopping = false;
  std::exception_ptr failure;
  std::thread thread; ///< none where there is only one rank
};

} // namespace partyline::runtime
