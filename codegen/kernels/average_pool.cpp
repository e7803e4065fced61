//===- codegen/kernels/average_pool.cpp - the mean of each window ---------===//
//
// The divisor of a window counts its elements inside the image or, with count_include_pad, inside the padded image: a
// last window of ceil_mode that hangs over the padded border counts only what is inside. Divisor 0 gives 0.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/pooling.h"

using namespace Halide;

namespace partyline::kernels {
namespace average_pool_family {

struct Counting {
  PoolAxis axis;
  int first, end; ///< the pixels that count: [first, end)

  int elementsBefore(int window, int pixel) const {
    const int distance = pixel - (window * axis.stride - axis.pad);
    return std::clamp((distance + axis.dilation - 1) / axis.dilation, 0, axis.kernel);
  }
  int count(int window) const { return elementsBefore(window, end) - elementsBefore(window, first); }

  Expr elementsBefore(Expr window, int pixel) const {
    Expr distance = pixel + axis.pad - window * axis.stride;
    return clamp((distance + (axis.dilation - 1)) / axis.dilation, 0, axis.kernel);
  }
  /// The count of a window: a constant where all windows have the same.
  Expr operator()(Expr window) const {
    bool isConstant = true;
    for (int i = 1; i < axis.out; ++i)
      isConstant = isConstant && count(i) == count(0);
    return isConstant ? Expr(count(0)) : elementsBefore(window, end) - elementsBefore(window, first);
  }
};

/// 1 / divisor of a window; forward and backward use this one.
Expr inverseDivisor(const Parameters &parameters, Expr ox, Expr oy) {
  PoolAxis rows = poolRows(parameters), columns = poolColumns(parameters);
  Counting countRows{rows, 0, rows.in}, countColumns{columns, 0, columns.in};
  if (parameters.integer("count_include_pad")) {
    countRows.first = -rows.pad;
    countRows.end += parameters.integer("pad_bottom");
    countColumns.first = -columns.pad;
    countColumns.end += parameters.integer("pad_right");
  }
  Expr divisor = simplify(countRows(oy) * countColumns(ox));
  return select(divisor > 0, 1.0f / cast<float>(max(divisor, 1)), 0.0f);
}

// y[N,Ho,Wo,C] of x[N,H,W,C]
Kernel buildAveragePool(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM
  const PoolAxis rows = poolRows(parameters), columns = poolColumns(parameters);
  const int channels = parameters.integer("channels");
  Var c("c"), ox("ox"), oy("oy"), n("n");
  ImageParam x = inputBuffer(4, "x");
  // Lines of a window first, then over the lines: a global average adds thousands of numbers.
  RDom kx(0, columns.kernel, "kx"), ky(0, rows.kernel, "ky");
  Expr iy = rows.pixel(oy, ky), ix = columns.pixel(ox, kx);
  if (!columns.isInside())
    kx.where(ix >= 0 && ix < columns.in);
  if (!rows.isInside())
    ky.where(iy >= 0 && iy < rows.in);
  Var y("y");
  Func line("line"), sum("sum"), result("result");
  line(c, ox, y, n) = 0.0f;
  line(c, ox, y, n) = strict(line(c, ox, y, n) + x(c, ix, y, n));
  sum(c, ox, oy, n) = 0.0f;
  // Clamped, since a line may be computed before the condition on ky is asked.
  sum(c, ox, oy, n) = strict(sum(c, ox, oy, n) + line(c, ox, clamp(iy, 0, rows.in - 1), n));
  result(c, ox, oy, n) = strict(sum(c, ox, oy, n) * inverseDivisor(parameters, ox, oy));
  denseOutput(result);

  // THE SCHEDULE
  const int lanes = vectorLanes(target, channels);
  schedulePool(result, sum, ky, channels, columns.out, rows.out, target);
  Var vector("vector"), lane("lane");
  line.compute_at(sum, ky).vectorize(c, lanes, guarded);
  line.update().split(c, vector, lane, lanes, guarded).vectorize(lane).reorder(lane, vector, kx);
  return {{x}, {result}};
}

// dx[N,H,W,C] of dy[N,Ho,Wo,C]
Kernel buildAveragePoolGradient(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM. A gather over the windows that cover a pixel.
  const PoolAxis rows = poolRows(parameters), columns = poolColumns(parameters);
  const int channels = parameters.integer("channels");
  Var c("c"), ix("ix"), iy("iy"), n("n");
  ImageParam dy = inputBuffer(4, "dy");
  RDom w(0, columns.candidates(), 0, rows.candidates(), "w");
  Expr oy = rows.window(iy, w.y), ox = columns.window(ix, w.x);
  w.where(rows.covers(iy, oy));
  w.where(columns.covers(ix, ox));
  Func sum("sum"), result("result");
  sum(c, ix, iy, n) = 0.0f;
  sum(c, ix, iy, n) = strict(sum(c, ix, iy, n) + dy(c, ox, oy, n) * inverseDivisor(parameters, ox, oy));
  result(c, ix, iy, n) = sum(c, ix, iy, n);
  denseOutput(result);

  // THE SCHEDULE
  schedulePool(result, sum, w, channels, columns.in, rows.in, target);
  return {{dy}, {result}};
}

const std::vector<std::string> names = {
    "channels", "in_height",  "in_width",   "out_height", "out_width", "kernel_h",   "kernel_w",  "stride_h",
    "stride_w", "dilation_h", "dilation_w", "pad_top",    "pad_left",  "pad_bottom", "pad_right", "count_include_pad"};
RegisterKernel averagePool("average_pool", names, buildAveragePool);
RegisterKernel averagePoolGradient("average_pool_gradient", names, buildAveragePoolGradient);

} // namespace average_pool_family
} // namespace partyline::kernels
