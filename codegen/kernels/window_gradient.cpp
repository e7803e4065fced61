//===- window_gradient.cpp - weight gradients of convolutions, tiled ------===//
#include "codegen/kernels/window_gradient.h"
#include "codegen/kernels/register_tile.h"
#include "codegen/kernels/row_parts.h"
#include "codegen/kernels/tiled_convolution.h"

#include <algorithm>

namespace partyline::kernels {

using namespace Halide;

namespace {

/// How the reduction over the pixels of the batch is cut into blocks that stay in cache while all tiles of a task pass
/// over them: some rows of one image, or all rows of several.
struct PixelBlocks {
  PixelBlocks(const Conv2dShape &s, bool large) {
    const int pixels = large ? 512 : 256;
    rowBlocks = ceilDivide(s.outHeight, std::clamp(pixels / s.outWidth, 1, s.outHeight));
    rows = ceilDivide(s.outHeight, rowBlocks);
    rowBlocks = ceilDivide(s.outHeight, rows);
    if (rowBlocks == 1)
      images = std::max(1, pixels / 2 / (s.outHeight * s.outWidth));
  }
  int rowBlocks, rows, images = 1;
};

int largestDivisor(int value, int limit) {
  int divisor = std::max(1, std::min(value, limit));
  while (value % divisor)
    --divisor;
  return divisor;
}

} // namespace

Func windowGradient(const WindowGradient &gradient, const Target &target) {
  const Conv2dShape &s = gradient.shape;
  const bool lanewise = isLanewise(s.groups, s.outPerGroup(), target);
  const int panelGroups = lanewise ? 1 : s.groups, panelChannels = s.outChannels / panelGroups;
  const RegisterTile tile = chooseRegisterTile(
      target, panelChannels, {{s.inPerGroup(), 32}, {s.kernelW, 8}, {s.kernelH, 8}}, lanewise, gradient.candidate.tile);
  const int width = tile.width(), tileIn = tile.pieces[0], tileX = tile.pieces[1], tileY = tile.pieces[2];
  const PixelBlocks blocks(s, gradient.candidate.otherBlocks);

  // A task owns a part of the rows or of dw, so nothing is shared between threads; of dw several whole groups, or a
  // part of one. Slices of few channels are slow to read from memory, so depthwise ones are wider.
  const Expr batch = gradient.x.dim(3).extent(), blockCount = ceilDivide(batch, blocks.images) * blocks.rowBlocks;
  RowParts parts("dw", s.outChannels * s.inPerGroup() * s.kernelW * s.kernelH, blockCount);
  const int groups = largestDivisor(panelGroups, parts.any() ? panelGroups : panelGroups / 8);
  const int groupTasks = panelGroups / groups, atLeast = parts.any() ? 1 : ceilDivide(lanewise ? 4 : 8, groupTasks);
  int panels = ceilDivide(panelChannels, width), tilesIn = ceilDivide(s.inPerGroup(), tileIn);
  const TaskGrid grid = shareTasks(panels, width, tilesIn, tileIn, atLeast);
  panels = ceilDivide(panels, grid.columns);
  tilesIn = ceilDivide(tilesIn, grid.rows);
  const int tilesX = ceilDivide(s.kernelW, tileX), tilesY = ceilDivide(s.kernelH, tileY);
  const int coveredOut = grid.columns * panels * width, coveredIn = grid.rows * tilesIn * tileIn;

  // What a block reads of the images, borders included.
  const int stagedChannels = lanewise ? panels * width : tilesIn * tileIn;
  const int stagedDepth = lanewise ? tilesIn * tileIn : groups;
  const int stagedX = (s.outWidth - 1) * s.strideW + (tilesX * tileX - 1) * s.dilationW + 1;
  const int stagedY = (blocks.rows - 1) * s.strideH + (tilesY * tileY - 1) * s.dilationH + 1;
  const int lastY = (blocks.rowBlocks - 1) * blocks.rows * s.strideH + stagedY - s.padTop;
  const bool insideX = s.padLeft <= 0 && stagedX - s.padLeft <= s.inWidth;
  const bool insideY = s.padTop <= 0 && lastY <= s.inHeight;

  // THE ALGORITHM
  Var c("c"), in("in"), kx("kx"), ky("ky"), ti("ti"), tx("tx"), ty("ty"), p("panel"), g("group"), b("block"),
      tk("task");
  Var sx("sx"), sy("sy"), im("image");
  const Expr column = tk % grid.columns, row = tk / grid.columns % grid.rows;
  const Expr firstGroup = tk / (grid.columns * grid.rows) * groups;
  const Expr firstImage = b / blocks.rowBlocks * blocks.images, firstRow = b % blocks.rowBlocks * blocks.rows;
  const Expr image = blocks.images == 1 ? firstImage : min(firstImage + im, batch - 1);

  // x between borders of zeros. Its second dimension is the channel within the group where lanes lie in different
  // groups, else the group.
  Func stagedInput("staged_x");
  const Expr inputX = sx - s.padLeft, inputY = firstRow * s.strideH - s.padTop + sy;
  Expr channel;
  if (lanewise)
    channel = atMostLast(column * (panels * width) + c, coveredOut, s.outChannels) / s.outPerGroup() * s.inPerGroup() +
              atMostLast(row * (tilesIn * tileIn) + in, coveredIn, s.inPerGroup());
  else
    channel = (firstGroup + in) * s.inPerGroup() + atMostLast(row * (tilesIn * tileIn) + c, coveredIn, s.inPerGroup());
  Expr value = gradient.x(channel, insideX ? inputX : clamp(inputX, 0, s.inWidth - 1),
                          insideY ? inputY : clamp(inputY, 0, s.inHeight - 1), image);
  if (!insideX)
    value = select(inputX >= 0 && inputX < s.inWidth, value, 0.f);
  if (!insideY)
    value = select(inputY >= 0 && inputY < s.inHeight, value, 0.f);
  stagedInput(c, in, sx, sy, im, b, tk) = value;

  Func stagedDy("staged_dy");
  const Expr out = atMostLast((column * panels + p) * width + c, coveredOut, panelChannels);
  stagedDy(c, sx, sy, im, p, g, b, tk) =
      gradient.dy((firstGroup + g) * panelChannels + out, sx,
                  s.outHeight % blocks.rows ? min(firstRow + sy, s.outHeight - 1) : firstRow + sy, image);

  Func sum("sum");
  RDom r(0, s.outWidth, 0, blocks.rows, 0, blocks.images, "r");
  if (s.outHeight % blocks.rows)
    r.where(firstRow + r.y < s.outHeight);
  if (blocks.images > 1)
    r.where(firstImage + r.z < batch);
  const Expr readX = r.x * s.strideW + (tx * tileX + kx) * s.dilationW;
  const Expr readY = r.y * s.strideH + (ty * tileY + ky) * s.dilationH;
  const Expr read = lanewise ? stagedInput(p * width + c, ti * tileIn + in, readX, readY, r.z, b, tk)
                             : stagedInput(ti * tileIn + in, g, readX, readY, r.z, b, tk);
  sum(c, in, kx, ky, ti, tx, ty, p, g, b, tk) = 0.f;
  sum(c, in, kx, ky, ti, tx, ty, p, g, b, tk) += stagedDy(c, r.x, r.y, r.z, p, g, b, tk) * read;

  RDom t({{0, width},
          {0, tileIn},
          {0, tileX},
          {0, tileY},
          {0, tilesIn},
          {0, tilesX},
          {0, tilesY},
          {0, panels},
          {0, groups},
          {0, parts.blocksPerPart()},
          {0, grid.columns * grid.rows * groupTasks}},
         "t");
  const RVar lane = t[0], inTile = t[4], step = t[9], task = t[10];
  const Expr block = parts.block(step);
  const Expr outChannel = (task % grid.columns * panels + t[7]) * width + lane;
  const Expr inChannel = (task / grid.columns % grid.rows * tilesIn + inTile) * tileIn + t[1];
  const Expr group = task / (grid.columns * grid.rows) * groups + t[8];
  const Expr tapX = t[5] * tileX + t[2], tapY = t[6] * tileY + t[3];
  if (parts.any())
    t.where(block < blockCount);
  if (coveredOut > panelChannels)
    t.where(outChannel < panelChannels);
  if (coveredIn > s.inPerGroup())
    t.where(inChannel < s.inPerGroup());
  if (s.kernelW % tileX)
    t.where(tapX < s.kernelW);
  if (s.kernelH % tileY)
    t.where(tapY < s.kernelH);
  Func dw("dw");
  const auto start = [&](const std::vector<Expr> &place) {
    return select(gradient.accumulate != 0, gradient.old(place), 0.f);
  };
  parts.add(dw, {c, in, kx, ky}, start, {group * panelChannels + outChannel, inChannel, tapX, tapY},
            sum(lane, t[1], t[2], t[3], inTile, t[5], t[6], t[7], t[8], block, task), step);

  // THE SCHEDULE. dw is bounded, or, with parts, it would be set as far as the tiles reach.
  // GFLOP/s on an AMD EPYC core (Zen 1, AVX2, 40.7 of FMA peak; CPU time on a busy machine), batch 8: 3x3 64 channels
  // 56x56 31; 256 channels 14x14 35; 512 channels 7x7 28; 7x7 stride 2 of 3 channels 224x224 22; 1x1 stride 2 15; 32
  // groups of 4 channels 15; depthwise 3x3 128 channels 56x56 6, which reads slices of pixels.
  dw.bound(c, 0, s.outChannels).bound(in, 0, s.inPerGroup()).bound(kx, 0, s.kernelW).bound(ky, 0, s.kernelH);
  dw.vectorize(c, tile.lanes, TailStrategy::GuardWithIf);
  Func sums = parts.sums(dw);
  Stage update = sums.update().allow_race_conditions().vectorize(lane, tile.lanes).unroll(lane);
  update.unroll(t[1]).unroll(t[2]).unroll(t[3]);
  if (parts.any()) {
    update.parallel(parts.part);
    sums.compute_root().vectorize(c, tile.lanes, TailStrategy::GuardWithIf);
  } else {
    update.parallel(task);
  }
  sum.compute_at(sums, inTile).bound(c, 0, width).bound(in, 0, tileIn).bound(kx, 0, tileX).bound(ky, 0, tileY);
  sum.vectorize(c, tile.lanes).unroll(c).unroll(in).unroll(kx).unroll(ky);
  sum.update().reorder(c, in, kx, ky, r.x, r.y, r.z).vectorize(c, tile.lanes);
  sum.update().unroll(c).unroll(in).unroll(kx).unroll(ky);
  if (lanewise || !insideX || !insideY) {
    stagedInput.compute_at(sums, step).bound(c, 0, stagedChannels).bound(in, 0, stagedDepth);
    stagedInput.bound(sx, 0, stagedX).bound(sy, 0, stagedY).bound(im, 0, blocks.images);
    stagedInput.vectorize(c, coveringLanes(target, stagedChannels), TailStrategy::GuardWithIf);
  }
  if (coveredOut > panelChannels) {
    stagedDy.compute_at(sums, step).bound(c, 0, width).bound(sx, 0, s.outWidth).bound(sy, 0, blocks.rows);
    stagedDy.bound(im, 0, blocks.images).bound(p, 0, panels).bound(g, 0, groups);
    stagedDy.vectorize(c, tile.lanes).unroll(c);
  }
  return dw;
}

} // namespace partyline::kernels
