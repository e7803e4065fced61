//===- step_loop.h - running the tables of a step library -----------------===//
//
// One loop runs every op of every phase, so timing, progress and errors are in one place.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/shared/manifest.h"
#include "runtime/shared/step_abi.h"
#include "runtime/step/arena.h"

#include <functional>
#include <utility>
#include <vector>

namespace partyline::runtime {

class StepLoop {
public:
  /// All three must outlive the loop.
  StepLoop(const StepLibrary &library, const ManifestClass &deviceClass, Arena &arena);

  /// Is told of every op that has run, and how long it took.
  using Observer = std::function<void(const StepOp &op, const StepCall &call, double seconds)>;
  /// Null: no clock is read.
  void observe(Observer newObserver) { observer = std::move(newObserver); }

  /// Runs forward and backward of one micro-batch. In the last micro-batch of a step `ready` is called with each bucket
  /// once its gradients are final; otherwise it is empty.
  void forwardBackward(StepCall call, const std::function<void(int64_t bucket)> &ready);

  /// Runs the optimizer on elements [first, last) of the gradient arena.
  void update(StepCall call, int64_t first, int64_t last);

  /// Runs the forward pass as in inference.
  void evaluate(StepCall call);

private:
  void run(const StepOp &op, const StepCall &call) const;

  const StepLibrary &library;
  Arena &arena;
  Observer observer;
  std::vector<std::pair<int64_t, int64_t>> readyAfter; ///< (op, bucket), in order
};

} // namespace partyline::runtime
