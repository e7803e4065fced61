//===- register_tile.h - how much of an output lies in registers ----------===//
//
// A product kernel keeps a tile of its output in vector registers while it goes through the reduction: `vectors`
// vectors side by side, times a number of scalars that are broadcast against them. The tile is a formula over the
// target; it weighs what the core can do per cycle against what a tile that does not divide the output wastes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <Halide.h>

#include <initializer_list>
#include <vector>

namespace partyline::kernels {

inline int ceilDivide(int a, int b) { return (a + b - 1) / b; }
inline Halide::Expr ceilDivide(const Halide::Expr &a, int b) { return (a + b - 1) / b; }

/// Where a loop over `covered` indices goes past `extent`, the last one again: what is computed there with any number
/// is never stored.
inline Halide::Expr atMostLast(const Halide::Expr &index, int covered, int extent) {
  return covered <= extent ? index : min(likely(index), extent - 1);
}

/// Lanes of a vector along `extent` elements: the target's, or fewer where there are not so many.
int coveringLanes(const Halide::Target &target, int extent);

/// An axis of the output that may be cut into pieces of the tile.
struct TileAxis {
  int extent;
  int largest; ///< piece
};

/// Rows that are tiled as far as registers allow; how many there are is known at run time.
inline constexpr TileAxis kManyRows = {1 << 20, 32};

/// Rows that are the samples of a batch: often a power of two, and seldom many.
inline constexpr TileAxis kFewRows = {32, 8};

struct RegisterTile {
  int lanes = 1;           ///< of one vector: the target's, or fewer where there are not so many channels
  int vectors = 1;         ///< side by side
  std::vector<int> pieces; ///< of the other axes
  int width() const { return lanes * vectors; }
};

/// The tile that needs the fewest cycles, or comes `place` places behind it, for an output of `channels` (vectorised)
/// by the axes. A step of the reduction loads `vectors` vectors and one scalar per row of the tile; where the rows are
/// vectors as well (`lanewise`: depthwise convolutions) it loads one per accumulator.
RegisterTile chooseRegisterTile(const Halide::Target &target, int channels, const std::vector<TileAxis> &axes,
                                bool lanewise = false, int place = 0);

/// How a matrix of tiles is cut into parts, each owned by one task.
struct TaskGrid {
  int columns = 1, rows = 1;
};

/// `atLeast` tasks or more, as far as there are tiles; parts stay near square, since a task reads what lies along both
/// of its sides.
TaskGrid shareTasks(int columnTiles, int tileWidth, int rowTiles, int tileHeight, int atLeast);

} // namespace partyline::kernels
