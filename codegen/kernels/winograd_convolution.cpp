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
  return axis.phases == 1 && axis.stride == 1 && axis.taps == kTaps && std::abs(axis.step) == 1 && axis.output >= 4;
}

/// Below 8 channels the transforms cost more than they save.
bool suits(const TiledConvolution &convolution) {
  return suits(convolution.x) && suits(convolution.y) && convolution.outPerGroup >= 8 && convolution.inPerGroup >= 8;
}

Func winogradConvolution(const TiledConvolution &convolution, const Target &target) {
  const WindowAxis &ax = convolution.x, &ay = convolution.y;
  const int channels = convolution.outPerGroup, depth = convolution.inPerGroup, groups = convolution.groups;
  const RegisterTile tile = chooseRegisterTile(target, channels, {kManyRows}, false, convolution.candidate.tile);
  const int width = tile.width(), height = tile.pieces[0], panelsPerGroup = ceilDivide(channels, width);
  const int panels = groups * panelsPerGroup;

  // A row of the register tile is a tile of the image. Blocks of `heights` register tiles, evenly shared.
  const int tilesX = ceilDivide(ax.output, kTile), tilesY = ceilDivide(ay.output, kTile);
  const Expr tiles = convolution.images * (tilesX * tilesY), rowTiles = ceilDivide(tiles, height);
  const int tilesPerBlock = std::clamp(kBlockBytes / (4 * kPoints * kPoints * groups * depth), kLeastTiles, kMostTiles);
  const Expr mostBlocks = max(ceilDivide(rowTiles, std::max(1, tilesPerBlock / height)), min(rowTiles, kLeastBlocks));
  const Expr heights = (rowTiles + mostBlocks - 1) / mostBlocks, blocks = (rowTiles + heights - 1) / heights;
  const Expr blockTiles = heights * height;

  // A task makes a block of the input's points and meets all panels of weights, or a panel's and meets all blocks: deep
  // layers have small images and many weights, which would all lie in memory at once.
  const bool panelsOutside = (groups * channels > 2 * kImages * tilesX * tilesY) != convolution.candidate.otherBlocks;

  // THE ALGORITHM
  Var c("c"), k("k"), i("i"), j("j"), a("a"), b("b"), r("r"), rt("row_tile"), tt("tile"), p("panel"), bl("block");
  Func taps("taps"), weightColumns("weight_columns"), weights("transformed_weights");
  const auto tap = [](const WindowAxis &axis, const Expr &place) { return axis.step > 0 ? place : kTaps - 1 - place; };
  const Expr out = atMostLast(p % panelsPerGroup * width + c, panelsPerGroup * width, channels);
  taps(c, k, i, j, p) = convolution.weight(p / panelsPerGroup, out, min(k, depth - 1), tap(ax, i), tap(ay, j));
  weightColumns(c, i, b, k, p) = transformWeights(b, [&](int n) { return taps(c, k, i, n, p); });
  weights(c, k, a, b, p) = transformWeights(a, [&](int n) { return weightColumns(c, n, b, k, p); });

  // Tiles behind the last one repeat it; their products are not stored.
  Func pixels("pixels"), inputColumns("input_columns"), input("transformed_input");
  const Tile inputTile(min(bl * blockTiles + tt, tiles - 1), tilesX, tilesY);
  const Expr x = inputTile.x + ax.lowest() + i, y = inputTile.y + ay.lowest() + j;
  const Expr value = convolution.input(c, clamp(x, 0, ax.input - 1), clamp(y, 0, ay.input - 1), inputTile.image);
  pixels(c, i, j, tt, bl) = select(x >= 0 && x < ax.input && y >= 0 && y < ay.input, value, 0.f);
  inputColumns(c, i, b, tt, bl) = transformInput(b, [&](int n) { return pixels(c, i, n, tt, bl); });
  input(c, tt, a, b, bl) = transformInput(a, [&](int n) { return inputColumns(c, n, b, tt, bl); });

  Func sum("sum"), products("products"), outputColumns("output_columns");
  RDom reduce(0, depth, "depth");
  sum(c, r, rt, a, b, p, bl) = 0.f;
  sum(c, r, rt, a, b, p, bl) +=
      weights(c, reduce, a, b, p) * input(p / panelsPerGroup * depth + reduce, rt * height + r, a, b, bl);
  products(c, r, rt, a, b, p, bl) = sum(c, r, rt, a, b, p, bl);
  outputColumns(c, r, rt, a, j, p, bl) = transformOutput(j, [&](int n) { return products(c, r, rt, a, n, p, bl); });

  Region ranges = {{0, tile.lanes}, {0, kTile},   {0, kTile},  {0, tile.vectors},
                   {0, height},     {0, heights}, {0, panels}, {0, blocks}};
  if (panelsOutside)
    std::swap(ranges[6], ranges[7]);
  RDom t(ranges, "t");
  const RVar lane = t[0], pixelX = t[1], pixelY = t[2], vector = t[3], row = t[4], rowTile = t[5], inner = t[6],
             task = t[7], panel = panelsOutside ? task : inner, block = panelsOutside ? inner : task;
  const Expr inPanel = vector * tile.lanes + lane, inGroup = panel % panelsPerGroup * width + inPanel;
  const Expr outChannel = panel / panelsPerGroup * channels + inGroup;
  const Expr index = block * blockTiles + rowTile * height + row;
  const Tile outputTile(index, tilesX, tilesY);
  const Expr outX = outputTile.x + pixelX, outY = outputTile.y + pixelY;
  t.where(index < tiles);
  if (ax.output % kTile)
    t.where(outX < ax.output);
  if (ay.output % kTile)
    t.where(outY < ay.output);
  if (channels % width)
    t.where(inGroup < channels);
  Expr result =
      transformOutput(pixelX, [&](int n) { return outputColumns(inPanel, row, rowTile, n, pixelY, panel, block); });
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
  outputColumns.compute_at(output, vector).bound(a, 0, kPoints).bound(j, 0, kTile);
  outputColumns.vectorize(c, tile.lanes).unroll(a).unroll(j);
  products.compute_at(output, inner).bound(c, 0, width).bound(r, 0, height).bound(rt, 0, heights);
  products.bound(a, 0, kPoints).bound(b, 0, kPoints).vectorize(c, tile.lanes).unroll(c).unroll(r);
  sum.compute_at(products, rt).bound(c, 0, width).bound(r, 0, height);
  sum.vectorize(c, tile.lanes).unroll(c).unroll(r);
  sum.update().reorder(c, r, reduce).vectorize(c, tile.lanes).unroll(c).unroll(r);

  if (panelsOutside) {
    input.compute_root().parallel(bl);
    weights.compute_at(output, task);
  } else {
    input.compute_at(output, task);
    weights.compute_root().parallel(p).bound(p, 0, panels);
  }
  input.bound(tt, 0, blockTiles + 1);
  scheduleTransform(input, inputColumns, kPoints, groups * depth, coveringLanes(target, groups * depth));
  weights.bound(k, 0, depth + 1);
  scheduleTransform(weights, weightColumns, kTaps, width, tile.lanes);
  if (convolution.weightsContiguousIn) {
    Var kk("kk");
    taps.compute_at(weights, p).bound(c, 0, width).bound(k, 0, depth + 1).bound(i, 0, kTaps).bound(j, 0, kTaps);
    taps.split(k, k, kk, 8, TailStrategy::GuardWithIf).reorder(kk, c, k).unroll(kk);
  }
  return output;
}

} // namespace

Func convolve(TiledConvolution convolution, const Target &target) {
  if (!suits(convolution))
    return tiledConvolution(convolution, target);
  if (convolution.candidate.tile + 1 < kCandidateTiles)
    return winogradConvolution(convolution, target);
  convolution.candidate.tile = 0;
  return tiledConvolution(convolution, target);
}

} // namespace partyline::kernels
