//===- conv2d_weight_gradient.cpp - dw from x and dy, added to dw ---------===//
#include "codegen/kernels/buffers.h"
#include "codegen/kernels/conv2d_shape.h"
#include "codegen/kernels/matrix_product.h"
#include "codegen/kernels/register_tile.h"
#include "codegen/kernels/tiled_convolution.h"

#include <algorithm>

namespace partyline::kernels {

using namespace Halide;

namespace {

struct Inputs {
  Param<int32_t> accumulate{"accumulate"};
  ImageParam x, dy, old;
};

Func pointwise(const Conv2dShape &s, const Inputs &inputs, const Target &target) {
  const ImageParam x = inputs.x, dy = inputs.dy, old = inputs.old;
  OuterProduct product;
  product.rows = x.dim(3).extent() * (s.inWidth * s.inHeight);
  product.columns = s.outChannels;
  product.depth = s.inChannels;
  product.left = [=](Expr c, Expr pixel) { return x(c, pixel, 0, 0); };
  product.right = [=](Expr c, Expr pixel) { return dy(c, pixel, 0, 0); };
  product.old = [=](Expr out, Expr in) { return old(out, in, 0, 0); };
  product.accumulate = inputs.accumulate;
  product.dimensions = 4;
  return outerProduct(product, target);
}

/// How the reduction over the pixels of the batch is cut into blocks that stay in cache while all tiles of a task pass
/// over them: some rows of one image, or all rows of several.
struct Blocks {
  explicit Blocks(const Conv2dShape &s) {
    constexpr int pixels = 256;
    rowBlocks = ceilDivide(s.outHeight, std::clamp(pixels / s.outWidth, 1, s.outHeight));
    rows = ceilDivide(s.outHeight, rowBlocks);
    rowBlocks = ceilDivide(s.outHeight, rows);
    if (rowBlocks == 1)
      images = std::max(1, pixels / 2 / (s.outHeight * s.outWidth));
  }
  int rowBlocks, rows, images = 1;
};

Func general(const Conv2dShape &s, const Inputs &inputs, const Target &target) {
  const bool lanewise = isLanewise(s.groups, s.outPerGroup(), target);
  const int panelGroups = lanewise ? 1 : s.groups, panelChannels = s.outChannels / panelGroups;
  const RegisterTile tile =
      chooseRegisterTile(target, panelChannels, {{s.inPerGroup(), 32}, {s.kernelW, 8}, {s.kernelH, 8}}, lanewise);
  const int width = tile.width(), tileIn = tile.pieces[0], tileX = tile.pieces[1], tileY = tile.pieces[2];
  const Blocks blocks(s);

  // A task owns a part of dw, so nothing is shared between threads.
  int panels = ceilDivide(panelChannels, width), tilesIn = ceilDivide(s.inPerGroup(), tileIn);
  const TaskGrid grid = shareTasks(panels, width, tilesIn, tileIn, ceilDivide(8, panelGroups));
  panels = ceilDivide(panels, grid.columns);
  tilesIn = ceilDivide(tilesIn, grid.rows);
  const int tilesX = ceilDivide(s.kernelW, tileX), tilesY = ceilDivide(s.kernelH, tileY);
  const int images = blocks.images;

  // What a block reads of the images, borders included.
  const int stagedX = (s.outWidth - 1) * s.strideW + (tilesX * tileX - 1) * s.dilationW + 1;
  const int stagedY = (blocks.rows - 1) * s.strideH + (tilesY * tileY - 1) * s.dilationH + 1;
  const int stagedChannels = lanewise ? panels * width : tilesIn * tileIn;
  const bool insideX = s.padLeft <= 0 && stagedX - s.padLeft <= s.inWidth;
  const bool insideY =
      s.padTop <= 0 && (blocks.rowBlocks - 1) * blocks.rows * s.strideH + stagedY - s.padTop <= s.inHeight;

  // THE ALGORITHM
  Var c("c"), in("in"), kx("kx"), ky("ky"), ti("ti"), tx("tx"), ty("ty"), p("panel"), b("block"), tk("task");
  Var sx("sx"), sy("sy"), im("image");
  const Expr batch = inputs.x.dim(3).extent();
  const Expr column = tk % grid.columns, row = tk / grid.columns % grid.rows, group = tk / (grid.columns * grid.rows);
  const Expr firstImage = b / blocks.rowBlocks * images, firstRow = b % blocks.rowBlocks * blocks.rows;
  const Expr image = images == 1 ? firstImage : min(firstImage + im, batch - 1);

  Func stagedInput("staged_x");
  const Expr inputX = sx - s.padLeft, inputY = firstRow * s.strideH - s.padTop + sy;
  Expr channel;
  if (lanewise)
    channel = min(likely(column * (panels * width) + c), s.outChannels - 1) / s.outPerGroup() * s.inPerGroup() +
              min(row * (tilesIn * tileIn) + in, s.inPerGroup() - 1);
  else
    channel = group * s.inPerGroup() + min(likely(row * (tilesIn * tileIn) + c), s.inPerGroup() - 1);
  Expr value = inputs.x(channel, insideX ? inputX : clamp(inputX, 0, s.inWidth - 1),
                        insideY ? inputY : clamp(inputY, 0, s.inHeight - 1), image);
  if (!insideX)
    value = select(inputX >= 0 && inputX < s.inWidth, value, 0.f);
  if (!insideY)
    value = select(inputY >= 0 && inputY < s.inHeight, value, 0.f);
  stagedInput(c, in, sx, sy, im, b, tk) = value;

  Func stagedDy("staged_dy");
  Expr outChannel = (column * panels + p) * width + c;
  outChannel = group * panelChannels + min(likely(outChannel), panelChannels - 1);
  stagedDy(c, sx, sy, im, p, b, tk) = inputs.dy(outChannel, sx, min(firstRow + sy, s.outHeight - 1), image);

  Func sum("sum");
  RDom r(0, s.outWidth, 0, blocks.rows, 0, images, "r");
  if (s.outHeight % blocks.rows)
    r.where(firstRow + r.y < s.outHeight);
  if (images > 1)
    r.where(firstImage + r.z < batch);
  const Expr readX = r.x * s.strideW + (tx * tileX + kx) * s.dilationW;
  const Expr readY = r.y * s.strideH + (ty * tileY + ky) * s.dilationH;
  const Expr read = lanewise ? stagedInput(p * width + c, ti * tileIn + in, readX, readY, r.z, b, tk)
                             : stagedInput(ti * tileIn + in, 0, readX, readY, r.z, b, tk);
  sum(c, in, kx, ky, ti, tx, ty, p, b, tk) = 0.f;
  sum(c, in, kx, ky, ti, tx, ty, p, b, tk) += stagedDy(c, r.x, r.y, r.z, p, b, tk) * read;

  RDom t({{0, width},
          {0, tileIn},
          {0, tileX},
          {0, tileY},
          {0, tilesIn},
          {0, tilesX},
          {0, tilesY},
          {0, panels},
          {0, ceilDivide(batch, images) * blocks.rowBlocks},
          {0, grid.columns * grid.rows * panelGroups}},
         "t");
  const RVar lane = t[0], tileInput = t[4], block = t[8], task = t[9];
  const Expr inPanels = (task % grid.columns * panels + t[7]) * width + lane;
  const Expr inChannel = (task / grid.columns % grid.rows * tilesIn + t[4]) * tileIn + t[1];
  const Expr tapX = t[5] * tileX + t[2], tapY = t[6] * tileY + t[3];
  t.where(inPanels < panelChannels);
  t.where(inChannel < s.inPerGroup());
  if (s.kernelW % tileX)
    t.where(tapX < s.kernelW);
  if (s.kernelH % tileY)
    t.where(tapY < s.kernelH);
  Func dw("dw");
  dw(c, in, kx, ky) = select(inputs.accumulate != 0, inputs.old(c, in, kx, ky), 0.f);
  dw(task / (grid.columns * grid.rows) * panelChannels + inPanels, inChannel, tapX, tapY) +=
      sum(lane, t[1], t[2], t[3], t[4], t[5], t[6], t[7], block, task);

  // THE SCHEDULE
  dw.bound(c, 0, s.outChannels).bound(in, 0, s.inPerGroup()).bound(kx, 0, s.kernelW).bound(ky, 0, s.kernelH);
  dw.vectorize(c, tile.lanes, TailStrategy::GuardWithIf);
  dw.update().allow_race_conditions().parallel(task).vectorize(lane, tile.lanes).unroll(lane);
  dw.update().unroll(t[1]).unroll(t[2]).unroll(t[3]);
  sum.compute_at(dw, tileInput).bound(c, 0, width).bound(in, 0, tileIn).bound(kx, 0, tileX).bound(ky, 0, tileY);
  sum.vectorize(c, tile.lanes).unroll(c).unroll(in).unroll(kx).unroll(ky);
  sum.update().reorder(c, in, kx, ky, r.x, r.y, r.z).vectorize(c, tile.lanes);
  sum.update().unroll(c).unroll(in).unroll(kx).unroll(ky);
  if (lanewise || !insideX || !insideY || s.inPerGroup() % tileIn) {
    stagedInput.compute_at(dw, block).bound(c, 0, stagedChannels).bound(in, 0, lanewise ? tilesIn * tileIn : 1);
    stagedInput.bound(sx, 0, stagedX).bound(sy, 0, stagedY).bound(im, 0, images);
    stagedInput.vectorize(c, target.natural_vector_size<float>(), TailStrategy::GuardWithIf);
  }
  if (panelChannels % width || panels * grid.columns * width > panelChannels) {
    stagedDy.compute_at(dw, block).bound(c, 0, width).bound(sx, 0, s.outWidth).bound(sy, 0, blocks.rows);
    stagedDy.bound(im, 0, images).bound(p, 0, panels).vectorize(c, tile.lanes).unroll(c);
  }
  return dw;
}

Kernel buildWeightGradient(const Parameters &parameters, const Target &target) {
  const Conv2dShape s = Conv2dShape::read(parameters);
  Inputs inputs;
  inputs.x = denseInput("x", {s.inChannels, s.inWidth, s.inHeight, 0});
  inputs.dy = denseInput("dy", {s.outChannels, s.outWidth, s.outHeight, 0});
  inputs.old = denseInput("old", {s.outChannels, s.inPerGroup(), s.kernelW, s.kernelH});
  Func dw = s.isPointwise() ? pointwise(s, inputs, target) : general(s, inputs, target);
  setDense(dw.output_buffer(), {s.outChannels, s.inPerGroup(), s.kernelW, s.kernelH});
  return {{inputs.accumulate, inputs.x, inputs.dy, inputs.old}, {dw}};
}

RegisterKernel registration("conv2d_weight_gradient", Conv2dShape::parameterNames(), buildWeightGradient);

} // namespace

} // namespace partyline::kernels
