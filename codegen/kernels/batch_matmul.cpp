//===- batch_matmul.cpp - y[B,M,N] = a[B,M,K] b[B,K,N], matrix by matrix --===//
#include "codegen/kernels/buffers.h"
#include "codegen/kernels/kernel.h"
#include "codegen/kernels/register_tile.h"

namespace partyline::kernels {

using namespace Halide;

namespace batch_matmul_family {

Kernel buildBatchMatmul(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM
  const int m = parameters.integer("m"), k = parameters.integer("k"), n = parameters.integer("n");
  ImageParam a = denseInput("a", {k, m, 0}), b = denseInput("b", {n, k, 0});
  const RegisterTile tile = chooseRegisterTile(target, n, {{m, 32}});
  const int width = tile.width(), height = tile.pieces[0];
  const int coveredColumns = ceilDivide(n, width) * width, coveredRows = ceilDivide(m, height) * height;
  Var c("c"), r("r"), matrix("matrix");
  RDom depth(0, k, "depth");
  Func sum("sum"), y("y");
  sum(c, r, matrix) = 0.0f;
  sum(c, r, matrix) +=
      b(atMostLast(c, coveredColumns, n), depth, matrix) * a(depth, atMostLast(r, coveredRows, m), matrix);
  y(c, r, matrix) = sum(c, r, matrix);

  // THE SCHEDULE. A tile of the result stays in registers; a matrix is a task, which its operands' caches like.
  Var column("column"), row("row");
  y.tile(c, r, column, row, c, r, width, height, TailStrategy::GuardWithIf)
      .vectorize(c, tile.lanes)
      .unroll(c)
      .parallel(matrix);
  sum.compute_at(y, column).bound_extent(c, width).bound_extent(r, height);
  sum.vectorize(c, tile.lanes).unroll(c).unroll(r);
  sum.update().reorder(c, r, depth).vectorize(c, tile.lanes).unroll(c).unroll(r);
  setDense(y.output_buffer(), {n, m, 0});
  return {{a, b}, {y}};
}

RegisterKernel batchMatmul("batch_matmul", {"m", "k", "n"}, buildBatchMatmul);

} // namespace batch_matmul_family

} // namespace partyline::kernels
