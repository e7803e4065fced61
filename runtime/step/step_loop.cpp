//===- step_loop.cpp ------------------------------------------------------===//
#include "runtime/step/step_loop.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace partyline::runtime {

StepLoop::StepLoop(const StepLibrary &library, const ManifestClass &deviceClass, Arena &arena)
    : library(library), arena(arena) {
  for (size_t bucket = 0; bucket < deviceClass.readyAfter.size(); ++bucket)
    readyAfter.emplace_back(deviceClass.readyAfter[bucket], int64_t(bucket));
  std::sort(readyAfter.begin(), readyAfter.end());
}

void StepLoop::run(const StepOp &op, const StepCall &call) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = observer ? Clock::now() : Clock::time_point();
  const int32_t status = op.run(&call);
  if (status != 0)
    throw runError("the op '" + std::string(op.name) + "' (kernel " + (op.kernel ? op.kernel : "unknown") +
                   ") failed with code " + std::to_string(status) + " in step " + std::to_string(call.step));
  if (observer)
    observer(op, call, std::chrono::duration<double>(Clock::now() - start).count());
}

void StepLoop::forwardBackward(StepCall call, const std::function<void(int64_t)> &ready) {
  call.arena = arena.base();
  auto next = readyAfter.begin();
  for (int64_t i = 0; i < library.forwardBackwardCount; ++i) {
    run(library.forwardBackward[i], call);
    for (; ready && next != readyAfter.end() && next->first == i; ++next)
      ready(next->second);
  }
}

void StepLoop::update(StepCall call, int64_t first, int64_t last) {
  call.arena = arena.base();
  for (int64_t i = 0; i < library.updateCount; ++i) {
    const StepUpdate &update = library.updates[i];
    call.first = std::max(first, update.first);
    call.count = std::min(last, update.last) - call.first;
    if (call.count > 0)
      run(update.op, call);
  }
}

void StepLoop::evaluate(StepCall call) {
  call.arena = arena.base();
  for (int64_t i = 0; i < library.evaluateCount; ++i)
    run(library.evaluate[i], call);
}

} // namespace partyline::runtime
