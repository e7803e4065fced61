//===- codegen/kernels/reductions.h - sums and maxima that keep their digits ---===//
//
// A sum of n floats in one running total loses up to n units in the last place. Both forms here add short runs first
// and then the runs (a pairwise sum with a wide fan-out), so the loss is about that of the longest run. Runs are cut by
// position alone: the bits depend neither on the number of threads nor, under strict(), on the CPU.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/elementwise.h"

#include <functional>

namespace partyline::kernels {

/// What is added up, side by side, of a row: of one type, float or double.
using Terms = std::function<std::vector<Halide::Expr>(Halide::Expr row)>;

/// Sums along an outer dimension of at most some thousand rows, with vectors along an inner one that is kept:
///   runs(kept..., r) = sum of the terms of 64 rows
///   totals(kept...)  = sum of the runs
class RunSum {
public:
  RunSum() = default;
  /// kept: the dimensions that stay, innermost first.
  RunSum(const std::string &name, const std::vector<Halide::Var> &kept, Halide::Expr rows, const Terms &terms);

  /// The totals at a place, where at most a vector of them may be needed.
  std::vector<Halide::Expr> at(const std::vector<Halide::Expr> &place) const;

  void schedule(int lanes, Halide::LoopLevel use);

private:
  Halide::Var column, run{"run"};
  Halide::RDom inRun, inTotal;
  Halide::Func runs, totals;
};

/// The same of any number of rows:
///   groups(kept..., g) = sum of the terms of 16 rows
///   blocks(kept..., b) = sum of 16 groups: the unit of parallel work, kept in scratch memory (1/256 of the input)
///   totals(kept...)    = sum of the blocks
class RowSum {
public:
  /// kept: the dimensions that stay, innermost first.
  RowSum(const std::string &name, const std::vector<Halide::Var> &kept, Halide::Expr rows, const Terms &terms);

  std::vector<Halide::Expr> at(const std::vector<Halide::Expr> &place) const { return totals.at(place); }

  /// A parallel task is one block by `width` elements of the innermost kept dimension. The totals are computed at
  /// `use`, where at most a vector of them may be needed.
  void schedule(int lanes, int width, Halide::LoopLevel use);

  /// The loop over the rows of a group, for what a term itself has to compute.
  Halide::LoopLevel row() const { return Halide::LoopLevel(groups, inGroup.x); }

private:
  std::vector<Halide::Var> kept;
  Halide::Var group{"group"}, block{"block"};
  Halide::RDom inGroup, inBlock;
  Halide::Func groups, sums, blocks;
  RunSum totals;
};

/// The sum or the maximum of term(0), ..., term(extent - 1) for an innermost dimension:
///   lanes(l, r, kept...) = over up to 64 vectors of run r
///   runs(l, g, kept...)  = over up to 64 runs
///   result(kept...)      = over the lanes of all of these and over what is left at the end, less than a vector
class LaneReduction {
public:
  enum Kind { sum, maximum };
  using Term = std::function<Halide::Expr(Halide::Expr index)>;

  LaneReduction(const std::string &name, Kind kind, const std::vector<Halide::Var> &kept, Halide::Expr extent,
                const Term &term);

  Halide::Expr operator()(const std::vector<Halide::Expr> &place) const { return result(place); }

  void schedule(Halide::LoopLevel use);

private:
  Halide::Var lane{"lane"}, run{"run"}, group{"group"};
  Halide::RDom inGroup, overGroups;
  Halide::Func lanes, runs, result;
};

} // namespace partyline::kernels
