//===- codegen/kernels/column_sums.h - sums of a matrix's columns in one pass ---===//
//
// The matrix is cut into blocks of 64 rows. A block is read in the order of memory, eight rows at a time, whose terms
// are added in a tree; the sums of a block stay in cache meanwhile, one per column. Then the blocks are added up by a
// RunSum. A running total so takes 64 additions at most, or as many as there are runs of blocks. Cuts are by position
// alone: the bits do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/reductions.h"

namespace partyline::kernels {

/// Schedules results that are one per column, an output of constant extent: vectors of them, each at the level
/// returned.
Halide::LoopLevel scheduleColumns(Halide::Func results, const Halide::Var &column, int columns, int lanes);

/// The sums of every block of a matrix's rows.
class BlockSums {
public:
  BlockSums(const std::string &name, const Halide::Var &column, const Halide::Var &block, Halide::Expr rows,
            const Terms &terms);

  std::vector<Halide::Expr> here() const; ///< in the pure variables
  void schedule(int lanes, Halide::LoopLevel task);

private:
  Halide::Var column, block;
  Halide::RDom groups, left;
  Halide::Func sums;
};

/// Sums over the rows of one or several terms side by side.
class ColumnSums {
public:
  ColumnSums(const std::string &name, const Halide::Var &column, Halide::Expr rows, const Terms &terms);

  /// The total of every term of a column.
  std::vector<Halide::Expr> totalsOf(Halide::Expr at) const { return totals.at({at}); }

  /// The totals are computed at `use`, where at most a vector of them may be needed.
  void schedule(Halide::Expr columns, int lanes, Halide::LoopLevel use);

private:
  Halide::Var column, block{"block"};
  BlockSums sums;
  Halide::Func blocks;
  RunSum totals;
};

/// Mean and population variance of the columns, of one pass over memory. A block's squares are those of deviations from
/// the block's own mean (it is read again while it is in cache), so nothing cancels; the blocks are put together as in
/// Chan, Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979.
class ColumnMoments {
public:
  using Term = std::function<Halide::Expr(Halide::Expr row)>;

  ColumnMoments(const std::string &name, const Halide::Var &column, Halide::Expr rows, const Term &term);

  Halide::Func moments; ///< (mean, variance) of a column; to be scheduled by the caller, as for ColumnSums

  void schedule(Halide::Expr columns, int lanes, Halide::LoopLevel use);

private:
  Halide::Var column, block{"block"};
  BlockSums sums;
  Halide::Func center;
  BlockSums squares;
  Halide::Func blocks, mean;
  RunSum total, spread;
};

} // namespace partyline::kernels
