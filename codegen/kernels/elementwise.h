//===- codegen/kernels/elementwise.h - arguments and schedules of plain loops -===//
//
// What the memory-bound families share: how a buffer argument is declared, and the two schedules of a loop nest in
// which every output element is written once and no other is read.
//
// Rules that hold for all of them:
// - Tails are guarded, never shifted: an output may be the memory of an input, so no element may be written twice.
// - A parallel task is about 16k elements, whatever the number of threads, so nothing depends on that number.
// - Arithmetic is strict (strict.h): these kernels wait for memory, so it costs nothing, NaN and infinity keep their
//   meaning (Halide's default lets LLVM assume there are none), and every CPU gives the same bits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/kernel.h"
#include "codegen/kernels/strict.h"

#include <algorithm>
#include <limits>

namespace partyline::kernels {

/// Elements per parallel task: 64 KiB of f32, some microseconds of work, and a good share of a phone's L1 or L2.
inline constexpr int taskElements = 16384;

inline constexpr Halide::TailStrategy guarded = Halide::TailStrategy::GuardWithIf;

/// Lanes of f32 in a vector register of the target.
inline int vectorLanes(const Halide::Target &target) { return target.natural_vector_size<float>(); }

/// Lanes for a constant extent: the power of two that leaves the fewest vectors plus single elements (10 -> 8 + 1 + 1,
/// 12 -> 3 x 4). The wider one where two are equal. None that leaves one element behind whole vectors: where the value
/// has a let and reads a buffer of this extent made in the kernel, Halide 14's simplifier takes that element's branch
/// for unreachable and drops the condition: it is not computed, and the vector's other lanes are written.
inline int vectorLanes(const Halide::Target &target, int extent) {
  auto steps = [&](int lanes) { return extent / lanes + extent % lanes; };
  auto isSafe = [&](int lanes) { return lanes == 1 || extent < lanes || extent % lanes != 1; };
  int best = 1;
  for (int lanes = 2; lanes <= vectorLanes(target); lanes *= 2)
    if (isSafe(lanes) && steps(lanes) <= steps(best))
      best = lanes;
  return best;
}

/// An input buffer that starts at 0 in every dimension; dimension 0 is the innermost, with unit stride.
inline Halide::ImageParam inputBuffer(Halide::Type type, int dimensions, const std::string &name) {
  Halide::ImageParam buffer(type, dimensions, name);
  for (int i = 0; i < dimensions; ++i)
    buffer.dim(i).set_min(0);
  buffer.dim(0).set_stride(1);
  return buffer;
}

inline Halide::ImageParam inputBuffer(int dimensions, const std::string &name) {
  return inputBuffer(Halide::Float(32), dimensions, name);
}

/// The same promises for the output of a Func. Where a Func has several, Halide gives them all the first one's bounds.
inline void denseOutput(Halide::Func output) {
  Halide::OutputImageParam buffer = output.output_buffers()[0];
  for (int i = 0; i < buffer.dimensions(); ++i)
    buffer.dim(i).set_min(0);
  buffer.dim(0).set_stride(1);
}

/// Schedules a one-dimensional Func of run-time extent: vectors of `lanes`, tasks of taskElements.
inline void scheduleElements(Halide::Func f, Halide::Var element, int lanes) {
  Halide::Var vector("vector"), lane("lane"), task("task");
  // Split into vectors first: the guard of the task then bounds the loop over vectors itself, so that a short buffer
  // does not walk through a task's worth of failing guards.
  f.split(element, vector, lane, lanes, guarded)
      .vectorize(lane)
      .split(vector, task, vector, taskElements / lanes, guarded)
      .parallel(task);
}

/// Schedules a Func of one or more dimensions, innermost first, of run-time extents: vectors along the innermost one;
/// rows are gathered into tasks of about taskElements, and long rows are cut into several tasks.
inline void scheduleRows(Halide::Func f, const std::vector<Halide::Var> &dimensions, Halide::Expr innerExtent,
                         int lanes) {
  if (dimensions.size() == 1)
    return scheduleElements(f, dimensions[0], lanes);
  Halide::Var vector("vector"), lane("lane"), piece("piece"), row("row"), inner("inner"), task("task");
  f.split(dimensions[0], vector, lane, lanes, guarded)
      .vectorize(lane)
      .split(vector, piece, vector, taskElements / lanes, guarded);
  Halide::Var rows = dimensions[1];
  for (size_t i = 2; i < dimensions.size(); ++i) {
    Halide::Var fused("rows" + std::to_string(i));
    f.fuse(rows, dimensions[i], fused);
    rows = fused;
  }
  f.split(rows, row, inner, Halide::max(1, taskElements / Halide::max(1, innerExtent)), guarded)
      .reorder(lane, vector, inner, piece, row)
      .fuse(piece, row, task)
      .parallel(task);
}

/// A kernel that maps equally long arrays to one, element by element. Its arguments: `scalars`, then the arrays.
template <typename Function>
Kernel elementwiseKernel(const std::vector<std::string> &names, const Halide::Target &target, Function function,
                         const std::vector<Halide::Argument> &scalars = {}) {
  Halide::Var e("e");
  Halide::Func result("result");
  Kernel kernel{scalars, {}};
  std::vector<Halide::Expr> operands;
  for (const std::string &name : names) {
    Halide::ImageParam buffer = inputBuffer(1, name);
    kernel.arguments.push_back(buffer);
    operands.push_back(buffer(e));
  }
  result(e) = strict(function(operands));
  denseOutput(result);
  scheduleElements(result, e, vectorLanes(target));
  kernel.outputs = {result};
  return kernel;
}

} // namespace partyline::kernels
