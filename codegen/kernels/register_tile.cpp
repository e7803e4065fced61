//===- register_tile.cpp - how much of an output lies in registers --------===//
#include "codegen/kernels/register_tile.h"

#include <algorithm>

namespace partyline::kernels {

namespace {

/// Vector registers, and how many of them a tile leaves to operands beside one vector of weights each: on x86 the
/// others come from memory as part of the multiply-add, on ARM they are loaded ahead. A tile that spills runs at half
/// speed.
struct Registers {
  int count, spare;
};

Registers registersOf(const Halide::Target &target, bool lanewise) {
  if (target.arch == Halide::Target::ARM)
    return {target.bits == 64 ? 32 : 16, lanewise ? 12 : 5};
  return {target.has_feature(Halide::Target::AVX512) ? 32 : 16, 1};
}

/// Cycles per step of the reduction: two multiply-adds, two loads; an accumulator is ready again after four cycles.
double stepCycles(int vectors, int rows, bool lanewise) {
  const int accumulators = vectors * rows, loads = lanewise ? vectors + accumulators : vectors + rows;
  return std::max({accumulators / 2.0, loads / 2.0, 4.0});
}

} // namespace

int coveringLanes(const Halide::Target &target, int extent) {
  int lanes = target.natural_vector_size<float>();
  while (lanes > 1 && lanes / 2 >= extent)
    lanes /= 2;
  return lanes;
}

RegisterTile chooseRegisterTile(const Halide::Target &target, int channels, const std::vector<TileAxis> &axes,
                                bool lanewise, int place) {
  const Registers registers = registersOf(target, lanewise);
  RegisterTile tile;
  tile.lanes = coveringLanes(target, channels);

  std::vector<std::pair<double, RegisterTile>> tilesByCycles;
  for (tile.vectors = 1; tile.vectors <= 4; ++tile.vectors) {
    tile.pieces.assign(axes.size(), 1);
    // Counts through all combinations of pieces.
    for (size_t axis = 0; axis < axes.size();) {
      int rows = 1;
      double tiles = ceilDivide(channels, tile.width());
      for (size_t i = 0; i < axes.size(); ++i) {
        rows *= tile.pieces[i];
        tiles *= ceilDivide(axes[i].extent, tile.pieces[i]);
      }
      if (tile.vectors * (rows + 1) + registers.spare < registers.count)
        tilesByCycles.emplace_back(tiles * (stepCycles(tile.vectors, rows, lanewise) + 0.5), tile);
      for (axis = 0; axis < axes.size(); ++axis) {
        if (++tile.pieces[axis] <= std::min(axes[axis].extent, axes[axis].largest))
          break;
        tile.pieces[axis] = 1;
      }
    }
  }
  // Of equal ones the first stays first.
  std::stable_sort(tilesByCycles.begin(), tilesByCycles.end(),
                   [](const auto &a, const auto &b) { return a.first < b.first; });
  return tilesByCycles[std::min(size_t(place), tilesByCycles.size() - 1)].second;
}

TaskGrid shareTasks(int columnTiles, int tileWidth, int rowTiles, int tileHeight, int atLeast) {
  TaskGrid grid;
  while (grid.columns * grid.rows < atLeast && (grid.columns < columnTiles || grid.rows < rowTiles)) {
    const bool tall = rowTiles / grid.rows * tileHeight >= columnTiles / grid.columns * tileWidth;
    if ((tall && grid.rows < rowTiles) || grid.columns == columnTiles)
      grid.rows = std::min(2 * grid.rows, rowTiles);
    else
      grid.columns = std::min(2 * grid.columns, columnTiles);
  }
  return grid;
}

} // namespace partyline::kernels
