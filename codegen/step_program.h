//===- codegen/step_program.h - a planned step, ready to be emitted -------===//
//
// What the passes hand to the emitter: per phase a list of kernel calls whose buffers have their place in the arena.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/kernel_spec.h"
#include "runtime/shared/step_abi.h"

#include <string>
#include <vector>

namespace partyline {

/// A kernel's buffer argument. Dimensions innermost first, as in halide_buffer_t.
struct KernelBuffer {
  int64_t offset = 0;        ///< bytes from the arena's base
  bool followsRange = false; ///< update ops: StepCall::first elements are added to the offset
  ElementType type = ElementType::float32;
  std::vector<BufferDimension> dimensions;
};

/// One op of a phase: its adaptor fills in the buffers and calls the kernel with scalars, then buffers, in this order.
struct StepOperation {
  std::string name; ///< the ONNX node's name
  KernelSpec kernel;
  std::vector<KernelScalar> scalars;
  std::vector<KernelBuffer> buffers;
  StepWork work{};
};

/// An update op for elements [first, last) of the gradient arena.
struct UpdateOperation {
  int64_t first = 0, last = 0;
  StepOperation operation;
};

struct StepProgram {
  std::vector<StepOperation> forwardBackward;
  std::vector<StepOperation> evaluate;
  std::vector<UpdateOperation> updates;
};

} // namespace partyline
