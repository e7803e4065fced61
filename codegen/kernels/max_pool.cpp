//===- codegen/kernels/max_pool.cpp - the maximum of each window ----------===//
//
// Elements of a window that lie in the padding do not take part. The first maximum in row-major order takes all of the
// gradient. A window wholly in the padding gives -infinity and index 0, which names no pixel: its gradient is lost.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/pooling.h"
#include "runtime/shared/error.h"

using namespace Halide;

namespace partyline::kernels {
namespace max_pool_family {

Type indexType(const Parameters &parameters) {
  const int bits = parameters.integer("index_bits");
  if (bits != 8 && bits != 16)
    throw inputError("kernel family max_pool: index_bits is " + std::to_string(bits) + "; it must be 8 or 16");
  const int64_t elements = int64_t(parameters.integer("kernel_h")) * parameters.integer("kernel_w");
  if (elements > int64_t(1) << bits)
    throw cannotError("a max pool window of " + std::to_string(elements) + " elements needs more than " +
                      std::to_string(bits) + " index bits");
  return UInt(bits);
}

// y[N,Ho,Wo,C], index[N,Ho,Wo,C] of x[N,H,W,C]; index = ky * kernel_w + kx
Kernel buildMaxPool(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM. First the maximum, then the first element that is it, to the bit: cheaper than to carry the index
  // along. NaN wins over numbers, as a diverging run must show.
  const PoolAxis rows = poolRows(parameters), columns = poolColumns(parameters);
  const int channels = parameters.integer("channels");
  Var c("c"), ox("ox"), oy("oy"), n("n");
  ImageParam x = inputBuffer(4, "x");
  RDom k(0, columns.kernel, 0, rows.kernel, "k"), back(0, columns.kernel, 0, rows.kernel, "back");
  auto elementInside = [&](RDom &domain, Expr ky, Expr kx) {
    Expr iy = rows.pixel(oy, ky), ix = columns.pixel(ox, kx);
    if (!rows.isInside())
      domain.where(iy >= 0 && iy < rows.in);
    if (!columns.isInside())
      domain.where(ix >= 0 && ix < columns.in);
    return x(c, ix, iy, n);
  };
  Func largest("largest"), index("index"), result("result");
  largest(c, ox, oy, n) = -std::numeric_limits<float>::infinity();
  Expr value = elementInside(k, k.y, k.x), soFar = largest(c, ox, oy, n);
  largest(c, ox, oy, n) = strict(select(value != value || value > soFar, value, soFar));
  Expr ky = rows.kernel - 1 - back.y, kx = columns.kernel - 1 - back.x;
  index(c, ox, oy, n) = 0;
  index(c, ox, oy, n) =
      select(reinterpret<uint32_t>(elementInside(back, ky, kx)) == reinterpret<uint32_t>(largest(c, ox, oy, n)),
             ky * columns.kernel + kx, index(c, ox, oy, n));
  result(c, ox, oy, n) = Tuple(largest(c, ox, oy, n), cast(indexType(parameters), index(c, ox, oy, n)));
  denseOutput(result);

  // THE SCHEDULE
  LoopLevel pixel = schedulePixels(result, channels, columns.out, rows.out, rows.kernel * columns.kernel, target);
  accumulateAt(pixel, largest, k, channels, target);
  accumulateAt(pixel, index, back, channels, target);
  return {{x}, {result}};
}

// dx[N,H,W,C] of dy, index[N,Ho,Wo,C]
Kernel buildMaxPoolGradient(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM. A gather over the windows that cover a pixel: every dx is written once, in a fixed order of terms.
  const PoolAxis rows = poolRows(parameters), columns = poolColumns(parameters);
  const int channels = parameters.integer("channels");
  Var c("c"), ix("ix"), iy("iy"), n("n");
  ImageParam dy = inputBuffer(4, "dy"), index = inputBuffer(indexType(parameters), 4, "index");
  RDom w(0, columns.candidates(), 0, rows.candidates(), "w");
  Expr oy = rows.window(iy, w.y), ox = columns.window(ix, w.x);
  w.where(rows.covers(iy, oy));
  w.where(columns.covers(ix, ox));
  Expr element = rows.element(iy, oy) * columns.kernel + columns.element(ix, ox);
  Func sum("sum"), result("result");
  sum(c, ix, iy, n) = 0.0f;
  sum(c, ix, iy, n) =
      strict(sum(c, ix, iy, n) + select(index(c, ox, oy, n) == cast(index.type(), element), dy(c, ox, oy, n), 0.0f));
  result(c, ix, iy, n) = sum(c, ix, iy, n);
  denseOutput(result);

  // THE SCHEDULE
  schedulePool(result, sum, w, channels, columns.in, rows.in, target);
  return {{dy, index}, {result}};
}

const std::vector<std::string> names = {"channels",   "in_height", "in_width", "out_height", "out_width",
                                        "kernel_h",   "kernel_w",  "stride_h", "stride_w",   "dilation_h",
                                        "dilation_w", "pad_top",   "pad_left", "index_bits"};
RegisterKernel maxPool("max_pool", names, buildMaxPool);
RegisterKernel maxPoolGradient("max_pool_gradient", names, buildMaxPoolGradient);

} // namespace max_pool_family
} // namespace partyline::kernels
