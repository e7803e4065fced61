//===- step_abi.h - what a step library and the worker agree on -----------===//
//
// The compiler emits a step library against these structs, the worker loads it with dlopen. Both sides include this
// header; it has no dependencies. Change a field and raise kStepAbiVersion.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace partyline {

inline constexpr uint32_t kStepAbiVersion = 3;

/// The one symbol that a step library exports: a constant StepLibrary.
inline constexpr const char *kStepLibrarySymbol = "partyline_step_library";

/// Every tensor in the arena begins at a multiple of this many bytes.
inline constexpr int64_t kArenaAlignment = 64;

/// What one call of an op may read. The worker fills it in; ops never change it.
struct StepCall {
  uint8_t *arena;     ///< base of the planned arena, aligned to kArenaAlignment
  int64_t first;      ///< update only: first element of the range in the gradient arena
  int64_t count;      ///< update only: number of elements in the range
  int32_t samples;    ///< n, samples in this call: 1 <= n <= the micro-batch capacity
  int32_t accumulate; ///< 0: overwrite the gradient arena (first micro-batch of a step); 1: add to it
  float scale;        ///< the gradients' factor: 1 / the global batch, or what else its losses are divided by
  float sampleWeight; ///< samples / global batch: the weight of this micro-batch's statistics
  float learningRate; ///< update only
  uint32_t seed;      ///< of dropout's masks
  uint32_t step;      ///< global step number, counted from 0
  uint32_t reserved;
};
static_assert(sizeof(StepCall) == 56 && offsetof(StepCall, samples) == 24 && offsetof(StepCall, step) == 48);

/// What an op has to do at the least for n samples: fixed + n * per sample. An update's is for all of its range.
struct StepWork {
  double operations, operationsPerSample; ///< a multiply-add is two
  double bytes, bytesPerSample;           ///< of its buffers, each once
  double written, writtenPerSample;       ///< of these, the ones it writes
};

/// One entry of a phase's table: the adaptor of one op, which sets up its buffers and calls its kernel.
struct StepOp {
  int32_t (*run)(const StepCall *call); ///< 0, or the kernel's error code
  const char *name;                     ///< the op's location: the ONNX node's name
  const char *kernel;                   ///< symbol of the kernel it calls
  StepWork work;                        ///< for those who measure
};

/// An update kernel and the elements [first, last) of the gradient arena it is right for: one optimizer rule, one set
/// of per-tensor factors. A range that the worker updates is cut at these borders.
struct StepUpdate {
  int64_t first;
  int64_t last;
  StepOp op;
};

/// The root of a step library.
struct StepLibrary {
  uint32_t abiVersion;
  uint32_t reserved;
  const char *hash; ///< of the plan it was emitted from: equals ManifestClass::planHash
  const StepOp *forwardBackward;
  int64_t forwardBackwardCount;
  const StepOp *evaluate;
  int64_t evaluateCount;
  const StepUpdate *updates;
  int64_t updateCount;
};

} // namespace partyline
