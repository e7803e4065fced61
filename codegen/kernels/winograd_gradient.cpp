//===- winograd_gradient.cpp - the gradient of the weights ----------------===//
#include "codegen/kernels/register_tile.h"
#include "codegen/kernels/winograd.h"

#include <algorithm>

namespace partyline::kernels {

using namespace Halide;
using namespace winograd;

namespace {

/// Tiles whose points a task makes at a time, and floats of the gradients that it adds them to: both in L2.
constexpr int kBlockTiles = 64, kCellFloats = 64 << 10;

/// Where there are many tiles to few weights, tasks own shares of the tiles, and each makes the gradients of all
/// points, which are added up in the end; else tasks own cells of the weights, and none is made twice.
constexpr int kShares = 8, kTilesForShares = 128, kFloatsForShares = 256 << 10;

bool suits(const Conv2dShape &s, const Axes &axes) {
  // Below 16 tiles, of some images, making and transforming the points' gradients costs more than is saved.
  return s.strideH == 1 && s.strideW == 1 && (s.dilationH == 1 || s.kernelH == 1) &&
         (s.dilationW == 1 || s.kernelW == 1) && axes.pay(s.inPerGroup(), s.outPerGroup()) &&
         ceilDivide(s.outHeight, axes.y.tile()) * ceilDivide(s.outWidth, axes.x.tile()) >= 16;
}

Func winogradGradient(const WindowGradient &gradient, const Axes &axes, const Target &target) {
  const Conv2dShape &s = gradient.shape;
  const int outChannels = s.outPerGroup(), inChannels = s.inPerGroup();
  const RegisterTile tile = chooseRegisterTile(target, outChannels, {{inChannels, 32}}, false, gradient.candidate.tile);
  const int width = tile.width(), height = tile.pieces[0];
  const int tilesX = ceilDivide(s.outWidth, axes.x.tile()), tilesY = ceilDivide(s.outHeight, axes.y.tile());
  const Expr tiles = gradient.x.dim(3).extent() * (tilesX * tilesY);

  // Cells are some panels by some heights of the register tile, of a group.
  const int64_t floats = int64_t(axes.points() * axes.parts()) * outChannels * inChannels;
  const int shares = tilesX * tilesY >= kTilesForShares && floats <= kFloatsForShares && s.groups == 1 ? kShares : 1;
  const int cellFloats = gradient.candidate.otherBlocks ? 2 * kCellFloats : kCellFloats;
  const int atLeast = shares > 1 ? 1 : std::max(8 / s.groups, static_cast<int>(floats / cellFloats));
  int panels = ceilDivide(outChannels, width), heights = ceilDivide(inChannels, height);
  const TaskGrid grid = shareTasks(panels, width, heights, height, atLeast);
  panels = ceilDivide(panels, grid.columns);
  heights = ceilDivide(heights, grid.rows);
  const int cells = grid.columns * grid.rows, cellOut = panels * width, cellIn = heights * height;
  const int coveredOut = grid.columns * cellOut, coveredIn = grid.rows * cellIn;

  const int blockTiles = shares > 1 && gradient.candidate.otherBlocks ? kBlockTiles / 2 : kBlockTiles;
  const Expr blocks = ceilDivide(tiles, blockTiles), blocksPerShare = ceilDivide(blocks, shares);

  // THE ALGORITHM. A task is a share, or a cell.
  Var c("c"), k("k"), i("i"), j("j"), a("a"), b("b"), u("part_x"), v("part_y"), r("r"), rt("row_tile"), tt("tile"),
      p("panel"), bl("block"), tk("task");
  const Expr taskCell = shares > 1 ? 0 : tk % cells, taskGroup = shares > 1 ? 0 : tk / cells;
  const Expr firstOut = taskCell % grid.columns * cellOut, firstIn = taskCell / grid.columns * cellIn;
  const Tile place(min(bl * blockTiles + tt, tiles - 1), axes, tilesX, tilesY);

  Func pixels("pixels");
  const Expr x = place.x - s.padLeft + u * axes.x.tapsOfPart() + i;
  const Expr y = place.y - s.padTop + v * axes.y.tapsOfPart() + j;
  const Expr value = gradient.x(taskGroup * inChannels + atMostLast(firstIn + c, coveredIn, inChannels),
                                clamp(x, 0, s.inWidth - 1), clamp(y, 0, s.inHeight - 1), place.image);
  pixels(c, i, j, tt, u, v, bl, tk) = select(x >= 0 && x < s.inWidth && y >= 0 && y < s.inHeight, value, 0.f);
  Points inputPoints("input", axes, &Axis::inputToPoints, pixels);
  Func input = inputPoints.points;

  // A tile may reach over the last row or column: there dy is 0.
  Func dyPixels("dy_pixels");
  const Expr outX = place.x + i, outY = place.y + j;
  Expr dyValue = gradient.dy(taskGroup * outChannels + atMostLast(firstOut + c, coveredOut, outChannels),
                             min(outX, s.outWidth - 1), min(outY, s.outHeight - 1), place.image);
  if (s.outWidth % axes.x.tile())
    dyValue = select(outX < s.outWidth, dyValue, 0.f);
  if (s.outHeight % axes.y.tile())
    dyValue = select(outY < s.outHeight, dyValue, 0.f);
  dyPixels(c, i, j, tt, bl, tk) = dyValue;
  Points dyPoints("dy", axes, &Axis::gradientToPoints, dyPixels);
  Func dy = dyPoints.points;

  Func sum("sum"), products("products");
  RDom reduce(0, blockTiles, "reduce");
  reduce.where(bl * blockTiles + reduce < tiles);
  sum(c, r, rt, p, a, b, u, v, bl, tk) = 0.f;
  sum(c, r, rt, p, a, b, u, v, bl, tk) +=
      dy(p * width + c, reduce, a, b, bl, tk) * input(rt * height + r, reduce, a, b, u, v, bl, tk);
  RDom q({{0, width},
          {0, height},
          {0, heights},
          {0, panels},
          {0, axes.x.points()},
          {0, axes.y.points()},
          {0, axes.x.parts()},
          {0, axes.y.parts()},
          {0, blocksPerShare}},
         "q");
  const RVar sumLane = q[0], sumRow = q[1], rowTile = q[2], sumPanel = q[3], step = q[8];
  const Expr block = shares > 1 ? tk * blocksPerShare + step : Expr(step);
  if (shares > 1)
    q.where(block < blocks);
  if (axes.x.lastPartIsShort())
    q.where(q[6] < axes.x.partsAt(q[4]));
  if (axes.y.lastPartIsShort())
    q.where(q[7] < axes.y.partsAt(q[5]));
  products(c, k, a, b, u, v, tk) = 0.f;
  products(sumPanel * width + sumLane, rowTile * height + sumRow, q[4], q[5], q[6], q[7], tk) +=
      sum(sumLane, sumRow, rowTile, sumPanel, q[4], q[5], q[6], q[7], block, tk);

  Func whole("whole"), columns("columns"), dw("dw");
  Expr total = products(c, k, a, b, u, v, shares > 1 ? Expr(0) : tk);
  for (int share = 1; share < shares; ++share)
    total += products(c, k, a, b, u, v, share);
  whole(c, k, a, b, u, v, tk) = total;
  columns(c, k, a, j, u, v, tk) = axes.y.pointsToWeights(j, [&](int n) { return whole(c, k, a, n, u, v, tk); });
  RDom t({{0, tile.lanes},
          {0, axes.x.tapsOfPart()},
          {0, axes.y.tapsOfPart()},
          {0, cellOut / tile.lanes},
          {0, axes.x.parts()},
          {0, axes.y.parts()},
          {0, cellIn},
          {0, s.groups * cells}},
         "t");
  const RVar lane = t[0], vector = t[3], cellRow = t[6], cell = t[7];
  const Expr column = vector * tile.lanes + lane;
  const Expr out = cell % cells % grid.columns * cellOut + column, in = cell % cells / grid.columns * cellIn + cellRow;
  const Expr channel = cell / cells * outChannels + out;
  const Expr tapX = t[4] * axes.x.tapsOfPart() + t[1], tapY = t[5] * axes.y.tapsOfPart() + t[2];
  if (coveredOut > outChannels)
    t.where(out < outChannels);
  if (coveredIn > inChannels)
    t.where(in < inChannels);
  if (axes.x.lastPartIsShort())
    t.where(tapX < s.kernelW);
  if (axes.y.lastPartIsShort())
    t.where(tapY < s.kernelH);
  Var kx("kx"), ky("ky");
  dw(c, k, kx, ky) = undef<float>();
  dw(channel, in, tapX, tapY) =
      select(gradient.accumulate != 0, gradient.old(channel, in, tapX, tapY), 0.f) +
      axes.x.pointsToWeights(t[1], [&](int n) { return columns(column, cellRow, n, t[2], t[4], t[5], cell); });

  // THE SCHEDULE. Points lie a tile more than there are apart, and columns are whole vectors, as in the
  // convolution.
  // Of a core's FMA peak, as counted there, beside windowGradient's: 64 channels 56x56 1.71 | 0.82; 128 channels 28x28
  // 1.64 | 0.88; 256 channels 14x14 1.52 | 0.90; 512 channels 7x7 1.15 | 0.74; 16 to 64 channels 55x55 1.50 | 0.90.
  dw.update().allow_race_conditions().vectorize(lane).unroll(t[1]).unroll(t[2]).parallel(shares > 1 ? cellRow : cell);
  columns.compute_at(dw, vector).bound_extent(c, tile.lanes);
  columns.bound(a, 0, axes.x.points()).bound(j, 0, axes.y.tapsOfPart());
  columns.vectorize(c, tile.lanes).unroll(a).unroll(j);
  products.bound(c, 0, cellOut).bound(k, 0, cellIn).bound(a, 0, axes.x.points()).bound(b, 0, axes.y.points());
  products.bound(u, 0, axes.x.parts()).bound(v, 0, axes.y.parts()).vectorize(c, tile.lanes);
  products.update().allow_race_conditions().vectorize(sumLane, tile.lanes).unroll(sumLane).unroll(sumRow);
  if (shares > 1) {
    products.compute_root().parallel(tk).bound(tk, 0, shares);
    products.update().parallel(tk);
  } else {
    products.compute_at(dw, cell);
  }
  sum.compute_at(products, rowTile).bound(c, 0, width).bound(r, 0, height);
  sum.vectorize(c, tile.lanes).unroll(c).unroll(r);
  sum.update().reorder(c, r, reduce).vectorize(c, tile.lanes).unroll(c).unroll(r);
  input.compute_at(products, step).bound(tt, 0, blockTiles + 1).bound(u, 0, axes.x.parts()).bound(v, 0, axes.y.parts());
  inputPoints.schedule(axes.x.points(), cellIn, coveringLanes(target, cellIn));
  dy.compute_at(products, step).bound(tt, 0, blockTiles + 1);
  dyPoints.schedule(axes.x.tile(), cellOut, tile.lanes);
  return dw;
}

} // namespace

Func convolveGradient(const WindowGradient &gradient, const Target &target) {
  const Axes axes = {{gradient.shape.kernelW}, {gradient.shape.kernelH}};
  return choose(gradient, axes, suits(gradient.shape, axes), target, winogradGradient, windowGradient);
}

} // namespace partyline::kernels
