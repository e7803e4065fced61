//===- matrix_product.cpp - register-tiled products of matrices -----------===//
#include "codegen/kernels/matrix_product.h"
#include "codegen/kernels/buffers.h"
#include "codegen/kernels/register_tile.h"
#include "codegen/kernels/row_parts.h"

#include <algorithm>

namespace partyline::kernels {

using namespace Halide;

namespace {

/// Tiles of rows that one task goes through with one packed panel: transposed, copying it costs as much as two of them.
/// Fewer where there would not be kFewTasks.
constexpr int kTilesPerPanel = 48, kFewTilesPerPanel = 16, kFewTasks = 8;

/// Rows of a block of outerProduct: many, so that a tile's sums are seldom added to memory, but no more than lie on 32
/// pages, for a tile goes down a column of them.
int rowsPerBlock(int rowElements) { return std::clamp(32 * 4096 / (4 * rowElements), 64, 128); }

std::vector<Var> variables(int dimensions) {
  std::vector<Var> result;
  for (int i = 0; i < dimensions; ++i)
    result.emplace_back("d" + std::to_string(i));
  return result;
}

} // namespace

Func matrixProduct(const Product &product, const Target &target) {
  const RegisterTile tile = chooseRegisterTile(target, product.columns, {kManyRows}, false, product.candidate.tile);
  const int width = tile.width(), height = tile.pieces[0];
  const int panels = ceilDivide(product.columns, width);

  // THE ALGORITHM. Task = panel of columns x block of rows; a block is `tiles` tiles, evenly shared.
  const Expr rowTiles = ceilDivide(product.rows, height);
  const int tilesPerPanel = product.candidate.otherBlocks ? kFewTilesPerPanel : kTilesPerPanel;
  const Expr blocks = max(ceilDivide(rowTiles, tilesPerPanel),
                          min(ceilDivide(rowTiles, kFewTilesPerPanel), ceilDivide(kFewTasks, panels)));
  const Expr tiles = (rowTiles + blocks - 1) / blocks;
  RDom t({{0, width}, {0, height}, {0, tiles}, {0, panels * blocks}}, "t");
  const RVar column = t[0], row = t[1], rowTile = t[2], task = t[3];

  Var c("c"), r("r"), k("k"), rt("rt"), tk("task");
  RDom depth(0, product.depth, "depth");
  Func packed("packed"), sum("sum"), y("y");
  packed(c, k, tk) = product.right(atMostLast(tk % panels * width + c, panels * width, product.columns), k);
  // Rows past the last one repeat it.
  const Expr clampedRow = min((tk / panels * tiles + rt) * height + r, product.rows - 1);
  sum(c, r, rt, tk) = 0.f;
  sum(c, r, rt, tk) += packed(c, depth, tk) * product.left(depth, clampedRow);

  const Expr n = task % panels * width + column;
  const Expr m = (task / panels * tiles + rowTile) * height + row;
  t.where(m < product.rows);
  if (product.columns % width)
    t.where(n < product.columns);
  Expr value = sum(column, row, rowTile, task);
  if (product.bias)
    value += product.bias(n);
  const std::vector<Var> coordinates = variables(product.dimensions);
  y(coordinates) = product.place ? 0.f : undef<float>();
  y(product.place ? product.place(n, m) : padded({n, m}, product.dimensions)) = value;

  // THE SCHEDULE. The tile stays in registers while the panel, packed so that it is read in order, passes by.
  // GFLOP/s on an AMD EPYC core (Zen 1, AVX2, 40.7 of FMA peak; CPU time on a busy machine), m x k x n, plain | with
  // the transposed weights: 512x256x1024 32 | 33; 25088x64x256 33 | 33; 392x2048x512 30 | 32; 8x512x512 17 | 16, where
  // the tile of 6 rows wastes a third and packing is not repaid; 32x4096x1000 16 | 26; 64x84x10 12 | 10.
  y.update().allow_race_conditions().parallel(task).unroll(row).vectorize(column, tile.lanes).unroll(column);
  if (product.place)
    y.vectorize(coordinates[0], tile.lanes, TailStrategy::GuardWithIf).parallel(coordinates.back());
  sum.compute_at(y, rowTile).bound(c, 0, width).bound(r, 0, height);
  sum.vectorize(c, tile.lanes).unroll(c).unroll(r);
  sum.update().reorder(c, r, depth).vectorize(c, tile.lanes).unroll(c).unroll(r);
  packed.compute_at(y, task).bound(c, 0, width).bound(k, 0, product.depth);
  if (product.transposed) {
    // Read in order of k, which is how it lies, a cache line of each column at a time.
    Var kk("kk");
    packed.split(k, k, kk, 8, TailStrategy::GuardWithIf).reorder(kk, c, k).unroll(kk);
  } else {
    packed.vectorize(c, tile.lanes).unroll(c);
  }
  return y;
}

Func outerProduct(const OuterProduct &product, const Target &target) {
  const RegisterTile tile =
      chooseRegisterTile(target, product.columns, {{product.depth, 32}}, false, product.candidate.tile);
  const int width = tile.width(), height = tile.pieces[0];

  // A task owns a part of dw, or of the rows, so nothing is shared between threads.
  int panels = ceilDivide(product.columns, width), heights = ceilDivide(product.depth, height);
  const int blockRows = rowsPerBlock(product.depth) * (product.candidate.otherBlocks ? 2 : 1);
  const Expr blocks = ceilDivide(product.rows, blockRows);
  RowParts parts("dw", product.columns * product.depth, blocks);
  const TaskGrid grid = shareTasks(panels, width, heights, height, parts.any() ? 1 : 8);
  panels = ceilDivide(panels, grid.columns);
  heights = ceilDivide(heights, grid.rows);
  // A part's tiles all read the same rows: copied, these lie close together, and not in a few sets of the cache.
  const bool packLeft = product.packLeft || parts.any();

  // THE ALGORITHM
  RDom t(
      {{0, width}, {0, height}, {0, heights}, {0, panels}, {0, parts.blocksPerPart()}, {0, grid.columns * grid.rows}},
      "t");
  const RVar column = t[0], row = t[1], heightTile = t[2], panel = t[3], step = t[4], task = t[5];
  const Expr block = parts.block(step);

  Var c("c"), r("r"), ht("ht"), p("p"), b("b"), tk("task"), m("m");
  RDom reduce(0, blockRows, "reduce");
  reduce.where(b * blockRows + reduce < product.rows);
  Func left("left"), right("right"), sum("sum"), dw("dw");
  const int coveredColumns = grid.columns * panels * width, coveredDepth = grid.rows * heights * height;
  const Expr panelColumn = (tk % grid.columns * panels + p) * width + c;
  // The copies' rows past the last one repeat it.
  const Expr copied = min(b * blockRows + m, product.rows - 1);
  right(c, m, p, b, tk) = product.right(atMostLast(panelColumn, coveredColumns, product.columns), copied);
  const Expr taskDepth = tk / grid.columns * (heights * height);
  left(r, m, b, tk) = product.left(atMostLast(taskDepth + r, coveredDepth, product.depth), copied);
  // The last tile of rows that are not copied is moved up until it ends with dw: so a tile's rows are neighbours, and
  // the loop over them needs one address.
  const auto tileRow = [&](const Expr &tileOfTask, const Expr &ofTask) {
    return (ofTask / grid.columns * heights + tileOfTask) * height;
  };
  const auto movedRow = [&](const Expr &first) { return min(first, product.depth - height); };
  sum(c, r, ht, p, b, tk) = 0.f;
  sum(c, r, ht, p, b, tk) +=
      right(c, reduce, p, b, tk) * (packLeft ? left(ht * height + r, reduce, b, tk)
                                             : product.left(movedRow(tileRow(ht, tk)) + r, b * blockRows + reduce));

  const Expr n = (task % grid.columns * panels + panel) * width + column;
  const Expr firstRow = tileRow(heightTile, task);
  const Expr k = (packLeft ? firstRow : movedRow(firstRow)) + row;
  if (parts.any())
    t.where(block < blocks);
  if (coveredColumns > product.columns)
    t.where(n < product.columns);
  if (coveredDepth > product.depth) {
    t.where(firstRow < product.depth);
    t.where(packLeft ? k < product.depth : k >= firstRow);
  }
  std::vector<Var> coordinates = variables(product.dimensions);
  const auto start = [&](const std::vector<Expr> &place) {
    return select(product.accumulate != 0, product.old(place[0], place[1]), 0.f);
  };
  parts.add(dw, coordinates, start, padded({n, k}, product.dimensions),
            sum(column, row, heightTile, panel, block, task), step);

  // THE SCHEDULE. The reduction is blocked by rows, which stay in cache while all tiles of the task pass over them. dw
  // is bounded, or, with parts, it would be set as far as the tiles reach.
  // GFLOP/s on the core named above, m x k x n: 512x256x1024 28; 25088x64x256 21; 392x2048x512 27; 8x512x512 17.
  dw.bound(coordinates[0], 0, product.columns).bound(coordinates[1], 0, product.depth);
  dw.vectorize(coordinates[0], tile.lanes, TailStrategy::GuardWithIf);
  Func sums = parts.sums(dw);
  Stage update = sums.update().allow_race_conditions().unroll(row).vectorize(column, tile.lanes).unroll(column);
  if (parts.any()) {
    update.parallel(parts.part);
    sums.compute_root().vectorize(coordinates[0], tile.lanes, TailStrategy::GuardWithIf);
  } else {
    update.parallel(task);
  }
  sum.compute_at(sums, heightTile).bound(c, 0, width).bound(r, 0, height);
  sum.vectorize(c, tile.lanes).unroll(c).unroll(r);
  sum.update().reorder(c, r, reduce).vectorize(c, tile.lanes).unroll(c).unroll(r);
  right.compute_at(sums, step).bound(c, 0, width).bound(m, 0, blockRows).bound(p, 0, panels);
  right.vectorize(c, tile.lanes).unroll(c);
  if (packLeft) {
    left.compute_at(sums, step).bound(r, 0, heights * height).bound(m, 0, blockRows);
    left.vectorize(r, coveringLanes(target, heights * height), TailStrategy::GuardWithIf);
  }
  return dw;
}

} // namespace partyline::kernels
