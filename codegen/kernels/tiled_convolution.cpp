//===- tiled_convolution.cpp - sums over windows, tiled for registers -----===//
#include "codegen/kernels/tiled_convolution.h"
#include "codegen/kernels/register_tile.h"

#include <algorithm>

namespace partyline::kernels {

using namespace Halide;

bool isLanewise(int groups, int outPerGroup, const Target &target) {
  return groups > 1 && (outPerGroup == 1 || 2 * outPerGroup < target.natural_vector_size<float>());
}

namespace {

/// Bytes of an image's rows that one task copies between borders of zeros: they and a panel of weights fit in L2.
constexpr int kStagedBytes = 160 << 10;

/// values[phase]
Expr lookUp(const std::vector<int> &values, const Expr &phase) {
  Expr result = values.back();
  for (size_t i = values.size() - 1; i-- > 0;)
    if (values[i] != values.back())
      result = select(phase == static_cast<int>(i), values[i], result);
  return result;
}

bool isUniform(const std::vector<int> &values) {
  return std::all_of(values.begin(), values.end(), [&](int value) { return value == values[0]; });
}

/// Rows of output (of each phase) per task: as many as kStagedBytes allows, evenly shared, whole tiles.
int rowsPerBlock(const TiledConvolution &convolution, int tileRows, int rowBytes) {
  const int rows = convolution.y.outputsPerPhase();
  const int fitting = (kStagedBytes / std::max(rowBytes, 1) - convolution.y.span()) / convolution.y.stride + 1;
  const int blocks = ceilDivide(rows, std::clamp(fitting, tileRows, rows));
  return ceilDivide(ceilDivide(rows, blocks), tileRows) * tileRows;
}

} // namespace

Func tiledConvolution(const TiledConvolution &convolution, const Target &target) {
  const WindowAxis &ax = convolution.x, &ay = convolution.y;
  const int channels = convolution.groups * convolution.outPerGroup;
  const bool lanewise = isLanewise(convolution.groups, convolution.outPerGroup, target);
  const int panelGroups = lanewise ? 1 : convolution.groups; // a panel never crosses these
  const int panelChannels = channels / panelGroups;
  const RegisterTile tile =
      chooseRegisterTile(target, panelChannels, {{ax.outputsPerPhase(), 32}, {ay.outputsPerPhase(), 4}}, lanewise,
                         convolution.candidate.tile);
  const int width = tile.width(), tileX = tile.pieces[0], tileY = tile.pieces[1];
  const int panelsPerGroup = ceilDivide(panelChannels, width), panels = panelGroups * panelsPerGroup;

  // What a task reads of an image, borders included.
  const int tilesX = ceilDivide(ax.outputsPerPhase(), tileX);
  const int stagedChannels = lanewise ? panels * width : convolution.groups * convolution.inPerGroup;
  const int stagedDepth = lanewise ? convolution.inPerGroup : 1;
  const int stagedX = (tilesX * tileX - 1) * ax.stride + ax.span();
  const int blockRows = rowsPerBlock(convolution, tileY, 4 * stagedX * stagedChannels * stagedDepth);
  const int stagedY = (blockRows - 1) * ay.stride + ay.span();
  const int blocks = ceilDivide(ay.outputsPerPhase(), blockRows), tilesY = blockRows / tileY;
  const bool insideX = ax.lowest() >= 0 && ax.lowest() + stagedX <= ax.input;
  const bool insideY = ay.lowest() >= 0 && ay.lowest() + (blocks - 1) * blockRows * ay.stride + stagedY <= ay.input;

  // A task meets all panels of weights, or a panel all tasks: what moves fewer bytes. Deep layers have small images and
  // many weights.
  const int64_t weightBytes = 4ll * blocks * panels * width * convolution.inPerGroup * ax.taps * ay.taps;
  const int64_t imageBytes = 4ll * panels * blocks * stagedX * stagedY * stagedChannels;
  const bool panelsOutside = !lanewise && (imageBytes < weightBytes) != convolution.candidate.otherBlocks;

  // THE ALGORITHM. Task = image x block of rows.
  Var c("c"), qx("qx"), qy("qy"), px("px"), py("py"), p("panel"), tk("task");
  Var tx("tx"), ty("ty"), in("in"), jx("jx"), jy("jy"), sx("sx"), sy("sy");

  Func packed("packed");
  Expr group = p / panelsPerGroup;
  Expr out = atMostLast(p % panelsPerGroup * width + c, panelsPerGroup * width, panelChannels);
  if (lanewise) {
    group = out / convolution.outPerGroup;
    out = out % convolution.outPerGroup;
  }
  packed(c, in, jx, jy, px, py, p) =
      convolution.weight(group, out, in, min(lookUp(ax.firstTap, px) + jx * ax.tapStep, ax.taps - 1),
                         min(lookUp(ay.firstTap, py) + jy * ay.tapStep, ay.taps - 1));

  Func staged("staged");
  const Expr inputX = sx + ax.lowest(), inputY = tk % blocks * (blockRows * ay.stride) + ay.lowest() + sy;
  Expr channel = c;
  if (lanewise)
    channel = atMostLast(c, panels * width, channels) / convolution.outPerGroup * convolution.inPerGroup + in;
  Expr value = convolution.input(channel, insideX ? inputX : clamp(inputX, 0, ax.input - 1),
                                 insideY ? inputY : clamp(inputY, 0, ay.input - 1), tk / blocks);
  if (!insideX)
    value = select(inputX >= 0 && inputX < ax.input, value, 0.f);
  if (!insideY)
    value = select(inputY >= 0 && inputY < ay.input, value, 0.f);
  staged(c, in, sx, sy, tk) = value;

  Func sum("sum");
  RDom r(0, convolution.inPerGroup, 0, ax.largestCount(), 0, ay.largestCount(), "r");
  if (!isUniform(ax.count))
    r.where(r.y < lookUp(ax.count, px));
  if (!isUniform(ay.count))
    r.where(r.z < lookUp(ay.count, py));
  const std::vector<Expr> tilePlace = {c, qx, qy, tx, ty, px, py, p, tk};
  const Expr readX = (tx * tileX + qx) * ax.stride + lookUp(ax.offset, px) - ax.lowest() + r.y * ax.step;
  const Expr readY = (ty * tileY + qy) * ay.stride + lookUp(ay.offset, py) - ay.lowest() + r.z * ay.step;
  const Expr read = lanewise ? staged(p * width + c, r.x, readX, readY, tk)
                             : staged(p / panelsPerGroup * convolution.inPerGroup + r.x, 0, readX, readY, tk);
  sum(c, qx, qy, tx, ty, px, py, p, tk) = 0.f;
  sum(c, qx, qy, tx, ty, px, py, p, tk) += packed(c, r.x, r.y, r.z, px, py, p) * read;

  // From the inside out. Where lanes differ in their group, a tile's pixels meet all panels before the next tile: the
  // panels' lanes lie side by side in the pixels, and share their lines of cache.
  const int panelAt = lanewise ? 3 : panelsOutside ? 8 : 7, taskAt = panelsOutside ? 7 : 8, tilesAt = lanewise ? 4 : 3;
  Region ranges(9);
  const Expr inner[] = {width, tileX, tileY}, outer[] = {tilesX, tilesY, ax.phases, ay.phases};
  for (int i = 0; i < 3; ++i)
    ranges[i] = {0, inner[i]};
  for (int i = 0; i < 4; ++i)
    ranges[tilesAt + i] = {0, outer[i]};
  ranges[panelAt] = {0, panels};
  ranges[taskAt] = {0, blocks * convolution.images};
  RDom t(ranges, "t");
  const RVar lane = t[0], tileColumn = t[tilesAt], tileRow = t[tilesAt + 1], phaseX = t[tilesAt + 2],
             phaseY = t[tilesAt + 3], panel = t[panelAt], task = t[taskAt];
  const Expr inPanel = panel % panelsPerGroup * width + lane;
  const Expr outX = (tileColumn * tileX + t[1]) * ax.phases + phaseX;
  const Expr outY = (task % blocks * blockRows + tileRow * tileY + t[2]) * ay.phases + phaseY;
  if (tilesX * tileX * ax.phases != ax.output)
    t.where(outX < ax.output);
  if (blocks * blockRows * ay.phases != ay.output)
    t.where(outY < ay.output);
  // Tiles wholly behind the last row: this condition stands outside of their sums.
  if (blocks * blockRows >= ay.outputsPerPhase() + tileY)
    t.where(task % blocks * blockRows + tileRow * tileY < ay.outputsPerPhase());
  if (panelChannels % width)
    t.where(inPanel < panelChannels);
  const Expr outChannel = panel / panelsPerGroup * panelChannels + inPanel;
  Expr result = sum(lane, t[1], t[2], tileColumn, tileRow, phaseX, phaseY, panel, task);
  if (convolution.bias)
    result += convolution.bias(outChannel);
  Func output("output");
  Var image("image");
  output(c, sx, sy, image) = undef<float>();
  output(outChannel, outX, outY, task / blocks) = result;

  // THE SCHEDULE. Weights are packed into panels once; a panel passes over all tiles of the task's rows. The rows are
  // copied between borders of zeros where windows reach over the image, so that the loops have no branches.
  // GFLOP/s on an AMD EPYC core (Zen 1, AVX2, 40.7 of FMA peak; CPU time on a busy machine), forward | input gradient,
  // batch 8: 3x3 64 channels 56x56 37 | 36; 256 channels 14x14 39 | 39; 512 channels 7x7 23 | 25 (packing 9 MB of
  // weights for 49 pixels); 128 channels stride 2 28x28 28 | 35; 7x7 stride 2 of 3 channels 224x224 35 | 22; depthwise
  // 3x3 128 channels 56x56 9 | 9, which memory bounds. Inner loops for AVX-512's 32 registers: 28 multiply-adds to 16
  // loads, nothing spilled; for arm64's see tests/kernels/neon_share.py.
  output.update().allow_race_conditions().parallel(t[8]).vectorize(lane, tile.lanes).unroll(lane);
  output.update().unroll(t[1]).unroll(t[2]);
  sum.compute_at(output, lanewise ? panel : tileColumn).bound(c, 0, width).bound(qx, 0, tileX).bound(qy, 0, tileY);
  sum.vectorize(c, tile.lanes).unroll(c).unroll(qx).unroll(qy);
  sum.update().reorder(c, qx, qy, r.x, r.y, r.z).vectorize(c, tile.lanes).unroll(c).unroll(qx).unroll(qy);
  if (convolution.inPerGroup <= 4)
    sum.update().unroll(r.x);
  if (lanewise || !insideX || !insideY) {
    if (panelsOutside)
      staged.compute_root().parallel(tk);
    else
      staged.compute_at(output, task);
    staged.bound(c, 0, stagedChannels).bound(in, 0, stagedDepth);
    staged.bound(sx, 0, stagedX).bound(sy, 0, stagedY);
    staged.vectorize(c, coveringLanes(target, stagedChannels), TailStrategy::GuardWithIf);
  }
  const bool readInPlace = panels == 1 && panelChannels == width && ax.phases * ay.phases == 1 && !lanewise &&
                           !convolution.weightsContiguousIn;
  if (!readInPlace) {
    if (panelsOutside)
      packed.compute_at(output, panel);
    else
      packed.compute_root().parallel(p).bound(p, 0, panels);
    packed.bound(c, 0, width).bound(in, 0, convolution.inPerGroup);
    packed.bound(jx, 0, ax.largestCount()).bound(jy, 0, ay.largestCount());
    packed.bound(px, 0, ax.phases).bound(py, 0, ay.phases);
    if (convolution.weightsContiguousIn && !lanewise) {
      Var ii("ii");
      packed.split(in, in, ii, 8, TailStrategy::GuardWithIf).reorder(ii, c, in).unroll(ii);
    } else {
      packed.vectorize(c, tile.lanes).unroll(c);
    }
  }
  return output;
}

} // namespace partyline::kernels
