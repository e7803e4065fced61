//===- matrix_product.cpp - register-tiled products of matrices -----------===//
#include "codegen/kernels/matrix_product.h"
#include "codegen/kernels/buffers.h"
#include "codegen/kernels/register_tile.h"
#include "codegen/kernels/row_parts.h"

#include <algorithm>

namespace partyline::kernels {

using namespace Halide;

namespace {

/// Tiles of rows that one task goes through with its packed panels: transposed, copying them costs as much as two of
/// these. Fewer where there would not be kFewTasks.
constexpr int kTilesPerTask = 48, kFewTilesPerTask = 8, kFewTasks = 8;

/// Bytes of the panels of a task: they stay in a small second-level cache while all its rows pass.
constexpr int kPackedBytes = 128 << 10;

/// Where panels meet few rows, reading them is what takes time: copied in steps of this depth, a kilobyte of each row
/// lies together.
constexpr int kShallowDepth = 128;

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
  const RegisterTile tile = chooseRegisterTile(target, product.columns, {product.fewRows ? kFewRows : kManyRows}, false,
                                               product.candidate.tile);
  const int width = tile.width(), height = tile.pieces[0];
  const int panels = ceilDivide(product.columns, width);
  const int depthPerStep = product.fewRows ? std::min(product.depth, kShallowDepth) : product.depth;
  const int steps = ceilDivide(product.depth, depthPerStep);
  const int widest = std::clamp(kPackedBytes / (4 * width * depthPerStep), 1,
                                product.fewRows ? std::max(1, panels / kFewTasks) : panels);
  const int groups = ceilDivide(panels, widest), panelsPerGroup = ceilDivide(panels, groups);
  const int coveredColumns = groups * panelsPerGroup * width;

  // THE ALGORITHM. Task = group of panels of columns x block of rows; a block is `tiles` tiles, evenly shared.
  const Expr rowTiles = ceilDivide(product.rows, height);
  const int tilesPerTask = product.candidate.otherBlocks ? kFewTilesPerTask : kTilesPerTask;
  const Expr blocks = max(ceilDivide(rowTiles, tilesPerTask),
                          min(ceilDivide(rowTiles, kFewTilesPerTask), ceilDivide(kFewTasks, groups)));
  const Expr tiles = (rowTiles + blocks - 1) / blocks;
  RDom t({{0, width}, {0, height}, {0, panelsPerGroup}, {0, tiles}, {0, steps}, {0, groups * blocks}}, "t");
  const RVar column = t[0], row = t[1], panel = t[2], rowTile = t[3], step = t[4], task = t[5];

  Var c("c"), r("r"), k("k"), rt("rt"), p("p"), st("step"), tk("task");
  RDom depth(0, depthPerStep, "depth");
  if (product.depth % depthPerStep)
    depth.where(st * depthPerStep + depth < product.depth);
  Func packed("packed"), sum("sum"), y("y");
  const auto firstColumn = [&](const Expr &ofTask, const Expr &panelOfTask) {
    return (ofTask % groups * panelsPerGroup + panelOfTask) * width;
  };
  packed(c, k, p, st, tk) = product.right(atMostLast(firstColumn(tk, p) + c, coveredColumns, product.columns),
                                          atMostLast(st * depthPerStep + k, steps * depthPerStep, product.depth));
  // Rows past the last one repeat it.
  const Expr clampedRow = min((tk / groups * tiles + rt) * height + r, product.rows - 1);
  sum(c, r, rt, p, st, tk) = 0.f;
  sum(c, r, rt, p, st, tk) += packed(c, depth, p, st, tk) * product.left(st * depthPerStep + depth, clampedRow);

  const Expr n = firstColumn(task, panel) + column;
  const Expr m = (task / groups * tiles + rowTile) * height + row;
  t.where(m < product.rows);
  if (coveredColumns >= product.columns + width)
    t.where(firstColumn(task, panel) < product.columns); // this condition stands outside of the sums
  if (coveredColumns > product.columns)
    t.where(n < product.columns);
  const std::vector<Var> coordinates = variables(product.dimensions);
  y(coordinates) = product.place ? 0.f : undef<float>();
  const std::vector<Expr> place = product.place ? product.place(n, m) : padded({n, m}, product.dimensions);
  const Expr start = product.bias ? product.bias(n) : Expr(0.f);
  y(place) = sum(column, row, rowTile, panel, step, task) + (steps > 1 ? select(step == 0, start, y(place)) : start);

  // THE SCHEDULE. The tile stays in registers while the panel, packed so that it is read in order, passes by. A row
  // tile meets all panels of the task before the next: `left` is read once, and y written along its rows. GFLOP/s on a
  // Xeon core (AVX-512, 170 of FMA peak), nothing in cache before, m x k x n, one panel a task | a group: 12544x64x256
  // 90 | 119; 12544x64x256 transposed 94 | 119; 3136x128x512 121 | 143; 784x256x1024 135 | 145; 784x1024x256 150 | 151.
  // With few rows, full depth | steps: 32x4096x4096 41 | 58; 4x2048x1000 7 | 11.
  y.update().allow_race_conditions().parallel(task).unroll(row).vectorize(column, tile.lanes).unroll(column);
  if (product.place)
    y.vectorize(coordinates[0], tile.lanes, TailStrategy::GuardWithIf).parallel(coordinates.back());
  sum.compute_at(y, panel).bound(c, 0, width).bound(r, 0, height);
  sum.vectorize(c, tile.lanes).unroll(c).unroll(r);
  sum.update().reorder(c, r, depth).vectorize(c, tile.lanes).unroll(c).unroll(r);
  packed.compute_at(y, step).bound(c, 0, width).bound(k, 0, depthPerStep).bound(p, 0, panelsPerGroup);
  if (product.transposed) {
    // Read in order of k, which is how it lies, a cache line of each column at a time.
    Var kk("kk");
    packed.split(k, k, kk, 8, TailStrategy::GuardWithIf).reorder(kk, c, k).unroll(kk);
  } else {
    packed.reorder(c, p, k).vectorize(c, tile.lanes).unroll(c);
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
  const TaskGrid grid = shareTasks(panels, width, heights, height, parts.any() ? 1 : kFewTasks);
  panels = ceilDivide(panels, grid.columns);
  heights = ceilDivide(heights, grid.rows);
  // A part's tiles all read the same rows: copied, these lie close together, and not in a few sets of the cache.
  const bool packLeft = product.packLeft || parts.any();

  // THE ALGORITHM
  RDom t(
      {{0, width}, {0, height}, {0, panels}, {0, heights}, {0, parts.blocksPerPart()}, {0, grid.columns * grid.rows}},
      "t");
  const RVar column = t[0], row = t[1], panel = t[2], heightTile = t[3], step = t[4], task = t[5];
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

  // THE SCHEDULE. The reduction is blocked by rows, which stay in cache while all tiles of the task pass over them:
  // along the rows of dw, for what is written to memory. dw is bounded, or, with parts, it would be set as far as the
  // tiles reach.
  // GFLOP/s on that core: 12544x256x64 98; 3136x128x512 110; 784x256x1024 130; 196x512x2048 135, where dw written down
  // its columns takes it to 117; 32x4096x4096 108, so 46.
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
  sum.compute_at(sums, panel).bound(c, 0, width).bound(r, 0, height);
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
