//===- winograd_gradient.cpp - the gradient of the weights ----------------===//
#include "codegen/kernels/register_tile.h"
#include "codegen/kernels/winograd.h"

#include <algorithm>

namespace partyline::kernels {

using namespace Halide;
using namespace winograd;

namespace {

/// Tiles whose points a task makes at a time, and pairs of channels whose gradients it adds them to: both in L2.
constexpr int kBlockTiles = 64, kCellWeights = 4096;

/// Where there are many tiles to few pairs of channels, tasks own parts of the tiles, and each makes the gradients of
/// all points, which are added up in the end; else tasks own cells of the weights, and none is made twice.
constexpr int kParts = 8, kTilesForParts = 128, kWeightsForParts = 16384;

/// Below 16 tiles, of some images, making and transforming the points' gradients costs more than is saved.
bool suits(const Conv2dShape &s) {
  return s.kernelH == kTaps && s.kernelW == kTaps && s.strideH == 1 && s.strideW == 1 && s.dilationH == 1 &&
         s.dilationW == 1 && s.inPerGroup() >= 8 && s.outPerGroup() >= 8 &&
         ceilDivide(s.outHeight, kTile) * ceilDivide(s.outWidth, kTile) >= 16;
}

Func winogradGradient(const WindowGradient &gradient, const Target &target) {
  const Conv2dShape &s = gradient.shape;
  const int outChannels = s.outPerGroup(), inChannels = s.inPerGroup();
  const RegisterTile tile = chooseRegisterTile(target, outChannels, {{inChannels, 32}}, false, gradient.candidate.tile);
  const int width = tile.width(), height = tile.pieces[0];
  const int tilesX = ceilDivide(s.outWidth, kTile), tilesY = ceilDivide(s.outHeight, kTile);
  const Expr tiles = gradient.x.dim(3).extent() * (tilesX * tilesY);

  // Cells are some panels by some heights of the register tile.
  const int pairs = outChannels * inChannels;
  const int parts = tilesX * tilesY >= kTilesForParts && pairs <= kWeightsForParts && s.groups == 1 ? kParts : 1;
  const int cellWeights = gradient.candidate.otherBlocks ? 2 * kCellWeights : kCellWeights;
  int panels = ceilDivide(outChannels, width), heights = ceilDivide(inChannels, height);
  const TaskGrid grid =
      shareTasks(panels, width, heights, height, parts > 1 ? 1 : std::max(8 / s.groups, pairs / cellWeights));
  panels = ceilDivide(panels, grid.columns);
  heights = ceilDivide(heights, grid.rows);
  const int cells = grid.columns * grid.rows, cellOut = panels * width, cellIn = heights * height;
  const int coveredOut = grid.columns * cellOut, coveredIn = grid.rows * cellIn;

  const int blockTiles = parts > 1 && gradient.candidate.otherBlocks ? kBlockTiles / 2 : kBlockTiles;
  const Expr blocks = ceilDivide(tiles, blockTiles), blocksPerPart = ceilDivide(blocks, parts);

  // THE ALGORITHM. A task is a part, or a cell.
  Var c("c"), k("k"), i("i"), j("j"), a("a"), b("b"), r("r"), rt("row_tile"), tt("tile"), p("panel"), bl("block"),
      tk("task");
  const Expr inGroup = parts > 1 ? 0 : tk % cells, group = parts > 1 ? 0 : tk / cells;
  const Expr firstOut = inGroup % grid.columns * cellOut, firstIn = inGroup / grid.columns * cellIn;
  const Tile place(min(bl * blockTiles + tt, tiles - 1), tilesX, tilesY);

  Func pixels("pixels"), inputColumns("input_columns"), input("transformed_input");
  const Expr x = place.x - s.padLeft + i, y = place.y - s.padTop + j;
  const Expr value = gradient.x(group * inChannels + atMostLast(firstIn + c, coveredIn, inChannels),
                                clamp(x, 0, s.inWidth - 1), clamp(y, 0, s.inHeight - 1), place.image);
  pixels(c, i, j, tt, bl, tk) = select(x >= 0 && x < s.inWidth && y >= 0 && y < s.inHeight, value, 0.f);
  inputColumns(c, i, b, tt, bl, tk) = transformInput(b, [&](int n) { return pixels(c, i, n, tt, bl, tk); });
  input(c, tt, a, b, bl, tk) = transformInput(a, [&](int n) { return inputColumns(c, n, b, tt, bl, tk); });

  // A tile may reach over the last row or column: there dy is 0.
  Func dyPixels("dy_pixels"), dyColumns("dy_columns"), dy("transformed_dy");
  const Expr outX = place.x + i, outY = place.y + j;
  Expr dyValue = gradient.dy(group * outChannels + atMostLast(firstOut + c, coveredOut, outChannels),
                             min(outX, s.outWidth - 1), min(outY, s.outHeight - 1), place.image);
  if (s.outWidth % kTile)
    dyValue = select(outX < s.outWidth, dyValue, 0.f);
  if (s.outHeight % kTile)
    dyValue = select(outY < s.outHeight, dyValue, 0.f);
  dyPixels(c, i, j, tt, bl, tk) = dyValue;
  dyColumns(c, i, b, tt, bl, tk) = transformOutputGradient(b, [&](int n) { return dyPixels(c, i, n, tt, bl, tk); });
  dy(c, tt, a, b, bl, tk) = transformOutputGradient(a, [&](int n) { return dyColumns(c, n, b, tt, bl, tk); });

  Func sum("sum"), products("products");
  RDom reduce(0, blockTiles, "reduce");
  reduce.where(bl * blockTiles + reduce < tiles);
  sum(c, r, rt, p, a, b, bl, tk) = 0.f;
  sum(c, r, rt, p, a, b, bl, tk) +=
      dy(p * width + c, reduce, a, b, bl, tk) * input(rt * height + r, reduce, a, b, bl, tk);
  RDom u({{0, width}, {0, height}, {0, heights}, {0, panels}, {0, kPoints}, {0, kPoints}, {0, blocksPerPart}}, "u");
  const RVar sumLane = u[0], sumRow = u[1], rowTile = u[2], sumPanel = u[3], step = u[6];
  const Expr block = parts > 1 ? tk * blocksPerPart + step : Expr(step);
  if (parts > 1)
    u.where(block < blocks);
  products(c, k, a, b, tk) = 0.f;
  products(sumPanel * width + sumLane, rowTile * height + sumRow, u[4], u[5], tk) +=
      sum(sumLane, sumRow, rowTile, sumPanel, u[4], u[5], block, tk);

  Func whole("whole"), columns("columns"), dw("dw");
  Expr total = products(c, k, a, b, parts > 1 ? Expr(0) : tk);
  for (int part = 1; part < parts; ++part)
    total += products(c, k, a, b, part);
  whole(c, k, a, b, tk) = total;
  columns(c, k, a, j, tk) = transformWeightGradient(j, [&](int n) { return whole(c, k, a, n, tk); });
  RDom t({{0, tile.lanes}, {0, kTaps}, {0, kTaps}, {0, cellOut / tile.lanes}, {0, cellIn}, {0, s.groups * cells}}, "t");
  const RVar lane = t[0], tapX = t[1], tapY = t[2], vector = t[3], cellRow = t[4], cell = t[5];
  const Expr column = vector * tile.lanes + lane;
  const Expr out = cell % cells % grid.columns * cellOut + column, in = cell % cells / grid.columns * cellIn + cellRow;
  if (coveredOut > outChannels)
    t.where(out < outChannels);
  if (coveredIn > inChannels)
    t.where(in < inChannels);
  Var kx("kx"), ky("ky");
  dw(c, k, kx, ky) = undef<float>();
  const Expr channel = cell / cells * outChannels + out;
  dw(channel, in, tapX, tapY) =
      select(gradient.accumulate != 0, gradient.old(channel, in, tapX, tapY), 0.f) +
      transformWeightGradient(tapX, [&](int n) { return columns(column, cellRow, n, tapY, cell); });

  // THE SCHEDULE. Points lie a tile more than there are apart, as in the convolution.
  // Of a core's FMA peak, as counted there, beside windowGradient's: 64 channels 56x56 1.71 | 0.82; 128 channels 28x28
  // 1.64 | 0.88; 256 channels 14x14 1.52 | 0.90; 512 channels 7x7 1.15 | 0.74; 16 to 64 channels 55x55 1.50 | 0.90.
  dw.update().allow_race_conditions().vectorize(lane).unroll(tapX).unroll(tapY).parallel(parts > 1 ? cellRow : cell);
  columns.compute_at(dw, vector).bound(a, 0, kPoints).bound(j, 0, kTaps);
  columns.vectorize(c, tile.lanes).unroll(a).unroll(j);
  products.bound(c, 0, cellOut).bound(k, 0, cellIn).bound(a, 0, kPoints).bound(b, 0, kPoints);
  products.vectorize(c, tile.lanes);
  products.update().allow_race_conditions().vectorize(sumLane, tile.lanes).unroll(sumLane).unroll(sumRow);
  if (parts > 1) {
    products.compute_root().parallel(tk).bound(tk, 0, parts);
    products.update().parallel(tk);
  } else {
    products.compute_at(dw, cell);
  }
  sum.compute_at(products, rowTile).bound(c, 0, width).bound(r, 0, height);
  sum.vectorize(c, tile.lanes).unroll(c).unroll(r);
  sum.update().reorder(c, r, reduce).vectorize(c, tile.lanes).unroll(c).unroll(r);
  input.compute_at(products, step).bound(tt, 0, blockTiles + 1);
  scheduleTransform(input, inputColumns, kPoints, cellIn, coveringLanes(target, cellIn));
  dy.compute_at(products, step).bound(tt, 0, blockTiles + 1);
  scheduleTransform(dy, dyColumns, kTile, cellOut, tile.lanes);
  return dw;
}

} // namespace

Func convolveGradient(WindowGradient gradient, const Target &target) {
  if (!suits(gradient.shape))
    return windowGradient(gradient, target);
  if (gradient.candidate.tile + 1 < kCandidateTiles)
    return winogradGradient(gradient, target);
  gradient.candidate.tile = 0;
  return windowGradient(gradient, target);
}

} // namespace partyline::kernels
