//===- codegen/kernels/pooling.h - windows along one axis -----------------===//
//
// What max_pool and average_pool share: where the windows of an axis lie, which of them cover an input pixel, and the
// schedule over pixels.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/elementwise.h"

#include <cmath>

namespace partyline::kernels {

/// One spatial axis: element k of window w is the pixel w * stride - pad + k * dilation.
struct PoolAxis {
  int in, out, kernel, stride, dilation, pad;

  Halide::Expr pixel(Halide::Expr window, Halide::Expr k) const { return window * stride - pad + k * dilation; }

  /// Whether every element of every window lies inside the image.
  bool isInside() const { return pad <= 0 && (out - 1) * stride - pad + (kernel - 1) * dilation < in; }

  /// How many windows may cover one pixel; the gradients visit that many candidates.
  int candidates() const {
    const int span = (kernel - 1) * dilation + 1;
    return std::min(out, (span + stride - 1) / stride);
  }

  /// Candidate i for covering a pixel, in a fixed order.
  Halide::Expr window(Halide::Expr pixel, Halide::Expr i) const {
    // Where all windows are candidates, simply count them.
    return candidates() == out ? i : (pixel + pad) / stride - i;
  }
  /// Which element of the window the pixel is, if it is one.
  Halide::Expr element(Halide::Expr pixel, Halide::Expr window) const {
    return (pixel + pad - window * stride) / dilation;
  }
  Halide::Expr covers(Halide::Expr pixel, Halide::Expr window) const {
    Halide::Expr offset = pixel + pad - window * stride;
    return window >= 0 && window < out && offset >= 0 && offset % dilation == 0 && offset / dilation < kernel;
  }
};

inline PoolAxis poolRows(const Parameters &p) {
  return {p.integer("in_height"), p.integer("out_height"), p.integer("kernel_h"),
          p.integer("stride_h"),  p.integer("dilation_h"), p.integer("pad_top")};
}

inline PoolAxis poolColumns(const Parameters &p) {
  return {p.integer("in_width"), p.integer("out_width"),  p.integer("kernel_w"),
          p.integer("stride_w"), p.integer("dilation_w"), p.integer("pad_left")};
}

/// Up to so many elements of a window are unrolled, and their accumulators stay in registers.
inline constexpr int unrolledElements = 16;

inline int elementsOf(const Halide::RDom &window) {
  int64_t elements = 1;
  for (int i = 0; i < window.dimensions(); ++i)
    elements *= *Halide::Internal::as_const_int(window[i].extent());
  return int(elements);
}

/// Schedules result(c, x, y, n), made from windows of so many elements or candidates: a task is some image rows. The
/// level returned is that of some channels of one pixel, all of which a loop over the window serves at once, so that
/// the arithmetic of where a window lies is done once for them: as many as registers hold where the window is unrolled,
/// else up to 256, in the first-level cache.
inline Halide::LoopLevel schedulePixels(Halide::Func result, int channels, int width, int height, int elements,
                                        const Halide::Target &target) {
  using namespace Halide;
  const int lanes = vectorLanes(target, channels), vectors = elements <= unrolledElements ? 4 : 256 / lanes;
  Var c = result.args()[0], x = result.args()[1], y = result.args()[2], n = result.args()[3];
  Var vector("vector"), lane("lane"), pieces("pieces"), row("row"), inner("inner"), task("task");
  OutputImageParam buffer = result.output_buffers()[0];
  buffer.dim(0).set_bounds(0, channels).dim(1).set_bounds(0, width).dim(2).set_bounds(0, height);
  result.split(c, vector, lane, lanes, guarded)
      .vectorize(lane)
      .split(vector, pieces, vector, std::max(1, std::min(vectors, channels / lanes)), guarded)
      .fuse(y, n, row)
      .split(row, task, inner, std::max(1, taskElements / (width * channels)), guarded)
      .reorder(lane, vector, pieces, x, inner, task)
      .parallel(task);
  return LoopLevel(result, pieces);
}

/// Schedules an accumulator(c, x, y, n) with one update over the window at such a level.
inline void accumulateAt(const Halide::LoopLevel &level, Halide::Func accumulator, const Halide::RDom &window,
                         int channels, const Halide::Target &target) {
  using namespace Halide;
  const int lanes = vectorLanes(target, channels);
  Var c = accumulator.args()[0], vector("vector"), lane("lane");
  std::vector<VarOrRVar> order = {lane, vector};
  for (int i = 0; i < window.dimensions(); ++i)
    order.push_back(window[i]);
  accumulator.compute_at(level).vectorize(c, lanes, guarded);
  Stage update = accumulator.update();
  update.split(c, vector, lane, lanes, guarded).vectorize(lane).reorder(order);
  for (int i = 0; elementsOf(window) <= unrolledElements && i < window.dimensions(); ++i)
    update.unroll(window[i]);
}

/// Both, for a result made from one accumulator.
inline void schedulePool(Halide::Func result, Halide::Func accumulator, const Halide::RDom &window, int channels,
                         int width, int height, const Halide::Target &target) {
  accumulateAt(schedulePixels(result, channels, width, height, elementsOf(window), target), accumulator, window,
               channels, target);
}

} // namespace partyline::kernels
