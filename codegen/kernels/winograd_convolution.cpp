//===- winograd_convolution.cpp - forward and input gradient --------------===//
#include "codegen/kernels/register_tile.h"
#include "codegen/kernels/winograd.h"

#include <algorithm>
#include <cstdlib>

namespace partyline::kernels {

using namespace Halide;
using namespace winograd;

namespace {

/// Bytes of transformed input that a task makes at a time and all panels of weights pass over: they stay in L2. But at
/// least so many tiles, since every block reads all weights, and at least so many blocks, which tasks share.
constexpr int kBlockBytes = 320 << 10, kLeastTiles = 24, kMostTiles = 96, kLeastBlocks = 8;

/// Images of one size that the choice between loops assumes: kernels are made for any number.
constexpr int kImages = 4;

bool suits(const WindowAxis &axis) {
  return axis.phases == 1 && axis.stride == 1 && std::abs(axis.step) == 1 && axis.output >= 4;
}

Func winogradConvolution(const TiledConvolution &convolution, const Axes &axes, const Target &target) {
  const WindowAxis &ax = convolution.x, &ay = convolution.y;
  const int channels = convolution.outPerGroup, depth = convolution.inPerGroup;
  const RegisterTile tile = chooseRegisterTile(target, channels, {kManyRows}, false, convolution.candidate.tile);
  const int width = tile.width(), height = tile.pieces[0];
  const int panels = ceilDivide(channels, width), groups = convolution.groups;

  // A row of the register tile is a tile of the image. Blocks of `heights` register tiles, evenly shared.
  const int tilesX = ceilDivide(ax.output, axes.x.tile()), tilesY = ceilDivide(ay.output, axes.y.tile());
  const Expr tiles = convolution.images * (tilesX * tilesY), rowTiles = ceilDivide(tiles, height);
  const int tileBytes = 4 * axes.points() * axes.parts() * depth;
  const int tilesPerBlock = std::clamp(kBlockBytes / tileBytes, kLeastTiles, kMostTiles);
  const Expr mostBlocks = max(ceilDivide(rowTiles, std::max(1, tilesPerBlock / height)), min(rowTiles, kLeastBlocks));
  const Expr heights = (rowTiles + mostBlocks - 1) / mostBlocks, blocks = (rowTiles + heights - 1) / heights;
  const Expr blockTiles = heights * height;

  // A task makes a block of the input's points, of a group, and meets all panels of weights, or a panel's and meets all
  // blocks: deep layers have small images and many weights, which would all lie in memory at once.
  const bool panelsOutside = (groups * channels > 2 * kImages * tilesX * tilesY) != convolution.candidate.otherBlocks;

  // THE ALGORITHM
  Var c("c"), k("k"), i("i"), j("j"), a("a"), b("b"), u("part_x"), v("part_y"), r("r"), rt("row_tile"), tt("tile"),
      p("panel"), g("group"), bl("block");
  Func taps("taps");
  const auto tap = [](const WindowAxis &axis, const Expr &place) {
    return clamp(axis.step > 0 ? place : axis.taps - 1 - place, 0, axis.taps - 1);
  };
  const Expr tapX = u * axes.x.tapsOfPart() + i, tapY = v * axes.y.tapsOfPart() + j;
  const Expr out = atMostLast(p * width + c, panels * width, channels);
  Expr weight = convolution.weight(g, out, min(k, depth - 1), tap(ax, tapX), tap(ay, tapY));
  if (axes.x.lastPartIsShort() || axes.y.lastPartIsShort())
    weight = select(tapX < ax.taps && tapY < ay.taps, weight, 0.f);
  taps(c, i, j, k, u, v, p, g) = weight;
  Points weightPoints("weight", axes, &Axis::weightsToPoints, taps);
  Func weights = weightPoints.points;

  // Tiles behind the last one repeat it; their products are not stored.
  Func pixels("pixels");
  const Tile inputTile(min(bl * blockTiles + tt, tiles - 1), axes, tilesX, tilesY);
  const Expr x = inputTile.x + ax.lowest() + u * axes.x.tapsOfPart() + i;
  const Expr y = inputTile.y + ay.lowest() + v * axes.y.tapsOfPart() + j;
  const Expr value =
      convolution.input(g * depth + c, clamp(x, 0, ax.input - 1), clamp(y, 0, ay.input - 1), inputTile.image);
  pixels(c, i, j, tt, u, v, g, bl) = select(x >= 0 && x < ax.input && y >= 0 && y < ay.input, value, 0.f);
  Points inputPoints("input", axes, &Axis::inputToPoints, pixels);
  Func input = inputPoints.points;

  Func sum("sum"), products("products"), outputColumns("output_columns");
  RDom reduce(0, depth, 0, axes.x.parts(), 0, axes.y.parts(), "reduce");
  if (axes.x.lastPartIsShort())
    reduce.where(reduce.y < axes.x.partsAt(a));
  if (axes.y.lastPartIsShort())
    reduce.where(reduce.z < axes.y.partsAt(b));
  sum(c, r, rt, a, b, p, g, bl) = 0.f;
  sum(c, r, rt, a, b, p, g, bl) += weights(c, reduce.x, a, b, reduce.y, reduce.z, p, g) *
                                   input(reduce.x, rt * height + r, a, b, reduce.y, reduce.z, g, bl);
  products(c, r, rt, a, b, p, g, bl) = sum(c, r, rt, a, b, p, g, bl);
  outputColumns(c, r, rt, a, j, p, g, bl) =
      axes.y.pointsToOutput(j, [&](int n) { return products(c, r, rt, a, n, p, g, bl); });

  Region ranges = {{0, tile.lanes},   {0, axes.x.tile()}, {0, axes.y.tile()},
                   {0, tile.vectors}, {0, height},        {0, heights}};
  ranges.insert(ranges.end(), {{0, panels}, {0, groups}, {0, blocks}});
  if (panelsOutside)
    std::swap(ranges[6], ranges[8]);
  RDom t(ranges, "t");
  const RVar lane = t[0], pixelX = t[1], pixelY = t[2], vector = t[3], row = t[4], rowTile = t[5], inner = t[6],
             group = t[7], task = t[8];
  const RVar panel = panelsOutside ? task : inner, block = panelsOutside ? inner : task;
  const Expr inPanel = vector * tile.lanes + lane, inGroup = panel * width + inPanel;
  const Expr outChannel = group * channels + inGroup;
  const Expr index = block * blockTiles + rowTile * height + row;
  const Tile outputTile(index, axes, tilesX, tilesY);
  const Expr outX = outputTile.x + pixelX, outY = outputTile.y + pixelY;
  t.where(index < tiles);
  if (ax.output % axes.x.tile())
    t.where(outX < ax.output);
  if (ay.output % axes.y.tile())
    t.where(outY < ay.output);
  if (channels % width)
    t.where(inGroup < channels);
  Expr result = axes.x.pointsToOutput(
      pixelX, [&](int n) { return outputColumns(inPanel, row, rowTile, n, pixelY, panel, group, block); });
  if (convolution.bias)
    result += convolution.bias(outChannel);
  Func output("output");
  Var ox("x"), oy("y"), image("image");
  output(c, ox, oy, image) = undef<float>();
  output(outChannel, outX, outY, outputTile.image) = result;

  // THE SCHEDULE. Points lie a tile, or a channel, more than there are apart: else many of the 16 that are written
  // together would fall into one set of the cache.
  // Of a core's FMA peak (AMD EPYC, Zen 1, AVX2), counted as a sum over windows, forward | input gradient | such a sum
  // forward, batch 4: 64 channels 56x56 1.87 | 1.88 | 0.95; 128 channels 28x28 1.98 | 1.98 | 0.98; 256 channels 14x14
  // 1.63 | 1.69 | 0.96; 512 channels 7x7 1.14 | 1.26 | 0.70; 16 to 64 channels 55x55 1.50 | 1.50 | 0.95.
  output.update().allow_race_conditions().parallel(task).vectorize(lane).unroll(pixelX).unroll(pixelY);
  // Whole vectors of it: of an extent that follows the channels' guard, Halide 14 takes that guard for true.
  outputColumns.compute_at(output, vector).bound_extent(c, tile.lanes);
  outputColumns.bound(a, 0, axes.x.points()).bound(j, 0, axes.y.tile());
  outputColumns.vectorize(c, tile.lanes).unroll(a).unroll(j);
  products.compute_at(output, inner).bound(c, 0, width).bound(r, 0, height).bound(rt, 0, heights);
  products.bound(a, 0, axes.x.points()).bound(b, 0, axes.y.points()).vectorize(c, tile.lanes).unroll(c).unroll(r);
  sum.compute_at(products, rt).bound(c, 0, width).bound(r, 0, height);
  sum.vectorize(c, tile.lanes).unroll(c).unroll(r);
  sum.update().reorder(c, r, reduce.x, reduce.y, reduce.z).vectorize(c, tile.lanes).unroll(c).unroll(r);

  if (panelsOutside) {
    input.compute_root().parallel(bl).bound(g, 0, groups);
    weights.compute_at(output, group);
  } else {
    input.compute_at(output, group);
    weights.compute_root().parallel(p).bound(p, 0, panels).bound(g, 0, groups);
  }
  input.bound(tt, 0, blockTiles + 1).bound(u, 0, axes.x.parts()).bound(v, 0, axes.y.parts());
  inputPoints.schedule(axes.x.points(), depth, coveringLanes(target, depth));
  weights.bound(k, 0, depth + 1).bound(u, 0, axes.x.parts()).bound(v, 0, axes.y.parts());
  weightPoints.schedule(axes.x.tapsOfPart(), width, tile.lanes);
  if (convolution.weightsContiguousIn) {
    Var kk("kk");
    taps.compute_at(weights, p).bound(c, 0, width).bound(k, 0, depth + 1);
    taps.bound(i, 0, axes.x.tapsOfPart()).bound(j, 0, axes.y.tapsOfPart());
    taps.split(k, k, kk, 8, TailStrategy::GuardWithIf).reorder(kk, c, k, i, j).unroll(kk);
    taps.reorder_storage(c, k, i, j);
  }
  return output;
}

} // namespace

Func convolve(const TiledConvolution &convolution, const Target &target) {
  const Axes axes = {{convolution.x.taps}, {convolution.y.taps}};
  const bool suited =
      suits(convolution.x) && suits(convolution.y) && axes.pay(convolution.inPerGroup, convolution.outPerGroup);
  return choose(convolution, axes, suited, target, winogradConvolution, tiledConvolution);
}

} // namespace partyline::kernels
