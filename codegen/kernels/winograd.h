//===- winograd.h - convolutions with fewer multiplications ---------------===//
//
// F(2x2, 3x3) of A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks" (CVPR 2016): four pixels of
// the output, a tile, come from 4x4 pixels of the input. Both these and the weights are transformed to 16 points; there
// the tile is a product over the channels alone, 16 multiplications for 36; and the products are transformed back. Over
// all tiles, each point is a product of matrices. The transforms only add, and halve, so that rounding stays that of a
// sum over windows; larger tiles save more, and lose digits.
//
// Longer windows are cut into parts of three taps, whose products are added up before they are transformed back. The
// last part may have fewer: then the last of its points is 0, and left out. 5x5: 49 for 100; 1x7: 11 for 14.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/tiled_convolution.h"
#include "codegen/kernels/window_gradient.h"

#include <functional>
#include <string>

namespace partyline::kernels {

/// A convolution or input gradient in dimensions (channel, x, y, image): tiledConvolution's, by Winograd's algorithm
/// where it suits. The candidates of the last tile sum over windows.
Halide::Func convolve(const TiledConvolution &convolution, const Halide::Target &target);

/// windowGradient's result, by Winograd's algorithm where it suits; candidates as above.
Halide::Func convolveGradient(const WindowGradient &gradient, const Halide::Target &target);

namespace winograd {

/// One axis of the windows, at stride 1. Where there is but one tap, tiles, points and pixels are the same.
struct Axis {
  int taps;

  int parts() const { return (taps + 2) / 3; }
  int tapsOfPart() const { return taps > 1 ? 3 : 1; } ///< those behind the last tap are 0
  int points() const { return taps > 1 ? 4 : 1; }     ///< and pixels of the input that a tile reads, for each part
  int tile() const { return taps > 1 ? 2 : 1; }       ///< pixels of the output

  /// Parts that are not 0 at this point.
  Halide::Expr partsAt(const Halide::Expr &point) const;
  bool lastPartIsShort() const { return taps > 1 && taps % 3 != 0; }

  /// Multiplications for one pixel of the output, of as many as there are taps.
  double products() const;

  /// The result at place `at` of a matrix times the values.
  using Values = std::function<Halide::Expr(int)>;
  Halide::Expr inputToPoints(const Halide::Expr &at, const Values &pixels) const;
  Halide::Expr weightsToPoints(const Halide::Expr &at, const Values &weights) const;
  Halide::Expr pointsToOutput(const Halide::Expr &at, const Values &products) const;
  /// The transposed ones, for the gradient of the weights: from dy, and from the gradient at the points.
  Halide::Expr gradientToPoints(const Halide::Expr &at, const Values &pixels) const;
  Halide::Expr pointsToWeights(const Halide::Expr &at, const Values &products) const;
};

struct Axes {
  Axis x, y;

  /// Whether it saves enough to pay for the transforms, of so many channels on both sides.
  bool pay(int inChannels, int outChannels) const;
  int points() const { return x.points() * y.points(); }
  int parts() const { return x.parts() * y.parts(); }
};

/// A tile of an image of `tilesX` by `tilesY` tiles, counted through all images.
struct Tile {
  Tile(const Halide::Expr &index, const Axes &axes, int tilesX, int tilesY)
      : x(index % tilesX * axes.x.tile()), y(index / tilesX % tilesY * axes.y.tile()),
        image(index / (tilesX * tilesY)) {}
  Halide::Expr x, y, image; ///< its first pixel of the output
};

/// Pixels or taps at the points of their tiles.
class Points {
public:
  using Transform = Halide::Expr (Axis::*)(const Halide::Expr &at, const Axis::Values &values) const;

  /// `values` in dimensions (c, i, j, tile or channel, ...).
  Points(const std::string &name, const Axes &axes, Transform transform, const Halide::Func &values);

  Halide::Func points; ///< (c, tile or channel, a, b, ...)

  /// A vector of channels at a time, for which the columns, where one of the two transforms is done, stay in registers:
  /// of `from` values of i.
  void schedule(int from, int channels, int lanes);

private:
  Axes axes;
  Halide::Func columns; ///< (c, i, b, tile or channel, ...)
};

/// Winograd's algorithm where it suits. The candidates of the last tile sum over windows, with their best tile.
template <typename Convolution>
Halide::Func choose(Convolution convolution, const Axes &axes, bool suits, const Halide::Target &target,
                    Halide::Func (*winograd)(const Convolution &, const Axes &, const Halide::Target &),
                    Halide::Func (*overWindows)(const Convolution &, const Halide::Target &)) {
  const bool lastTile = convolution.candidate.tile + 1 == kCandidateTiles;
  if (suits && !lastTile)
    return winograd(convolution, axes, target);
  if (suits)
    convolution.candidate.tile = 0;
  return overWindows(convolution, target);
}

} // namespace winograd

} // namespace partyline::kernels
