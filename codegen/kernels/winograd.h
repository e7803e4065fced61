//===- winograd.h - 3x3 convolutions with 16 multiplications for 36 -------===//
//
// F(2x2, 3x3) of A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks" (CVPR 2016): four pixels of
// the output, a tile, come from 4x4 pixels of the input. Both these and the weights are transformed; then the tile is
// at each of 16 points a product over the channels alone; and the products are transformed back. Over all tiles, each
// point is a product of matrices. The transforms only add, and halve, so that rounding stays that of a sum over
// windows; larger tiles save more, and lose digits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/tiled_convolution.h"
#include "codegen/kernels/window_gradient.h"

#include <functional>

namespace partyline::kernels {

/// A convolution or input gradient in dimensions (channel, x, y, image): tiledConvolution's, by Winograd's algorithm
/// where it suits. The candidates of the last tile sum over windows.
Halide::Func convolve(TiledConvolution convolution, const Halide::Target &target);

/// windowGradient's result, by Winograd's algorithm where it suits; candidates as above.
Halide::Func convolveGradient(WindowGradient gradient, const Halide::Target &target);

namespace winograd {

constexpr int kTaps = 3;   ///< of a window
constexpr int kTile = 2;   ///< pixels of the output
constexpr int kPoints = 4; ///< along an axis; as many pixels of the input

/// A tile of an image of `tilesX` by `tilesY` tiles, counted through all images.
struct Tile {
  Tile(const Halide::Expr &index, int tilesX, int tilesY)
      : x(index % tilesX * kTile), y(index / tilesX % tilesY * kTile), image(index / (tilesX * tilesY)) {}
  Halide::Expr x, y, image; ///< its first pixel of the output
};

/// Along one axis: the result at place `at` of a matrix times the values.
using Values = std::function<Halide::Expr(int)>;
Halide::Expr transformInput(const Halide::Expr &at, const Values &pixels);    ///< 4 to 4
Halide::Expr transformWeights(const Halide::Expr &at, const Values &taps);    ///< 3 to 4
Halide::Expr transformOutput(const Halide::Expr &at, const Values &products); ///< 4 to 2

/// The transposed ones, for the gradient of the weights: from dy, and from the gradient of the transformed weights.
Halide::Expr transformOutputGradient(const Halide::Expr &at, const Values &pixels);   ///< 2 to 4
Halide::Expr transformWeightGradient(const Halide::Expr &at, const Values &products); ///< 4 to 3

/// Schedules `points`, in dimensions (c, tile or channel, a, b, ...), to be made of `columns`, (c, `from` pixels or
/// taps, b,
/// ...), whose other half of the transform is done: a vector of channels at a time, for which these stay in registers.
void scheduleTransform(Halide::Func points, Halide::Func columns, int from, int channels, int lanes);

} // namespace winograd

} // namespace partyline::kernels
