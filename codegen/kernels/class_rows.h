//===- codegen/kernels/class_rows.h - rows of scores over classes ---------===//
//
// What softmax, log_softmax and cross_entropy share: x is [M,C] with a constant C; a row is reduced to a number or two,
// then every element of it is made from them. All of a row is read before any of it is written, so y may be x.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/reductions.h"

namespace partyline::kernels {

inline Halide::ImageParam classRows(int channels, const std::string &name) {
  Halide::ImageParam buffer = inputBuffer(2, name);
  buffer.dim(0).set_bounds(0, channels);
  return buffer;
}

/// Schedules result(c, m): tasks of whole rows. Gives the loop over the rows, where the reductions belong.
inline Halide::LoopLevel scheduleClassRows(Halide::Func result, int channels, const Halide::Target &target) {
  Halide::Var c = result.args()[0], m = result.args()[1];
  Halide::Var vector("vector"), lane("lane"), row("row"), task("task");
  denseOutput(result);
  result.output_buffer().dim(0).set_bounds(0, channels);
  result.split(c, vector, lane, vectorLanes(target, channels), guarded)
      .vectorize(lane)
      .split(m, task, row, std::max(1, taskElements / channels), guarded)
      .parallel(task);
  return Halide::LoopLevel(result, row);
}

/// A function of m alone that is kept for all rows, M floats of scratch memory. Gives the loop over the rows.
inline Halide::LoopLevel scheduleRowValues(Halide::Func values, int channels) {
  Halide::Var m = values.args()[0], row("row"), task("task");
  values.compute_root().split(m, task, row, std::max(1, taskElements / channels), guarded).parallel(task);
  return Halide::LoopLevel(values, row);
}

} // namespace partyline::kernels
