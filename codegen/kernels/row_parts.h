//===- row_parts.h - sums over many rows, in parts side by side -----------===//
//
// A weight gradient is a sum over all pixels of the batch. Where it is large, tasks own parts of it; where it is small,
// each of those would read most of the pixels again, so tasks own parts of the rows and each makes a whole sum, which
// are added up in the end. How the rows are cut depends on shapes alone, and so do the bits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <Halide.h>

#include <functional>
#include <string>
#include <vector>

namespace partyline::kernels {

class RowParts {
public:
  using Start = std::function<Halide::Expr(const std::vector<Halide::Expr> &place)>;

  /// Of a sum of `elements` floats over `blocks` blocks of rows.
  RowParts(const std::string &name, int elements, const Halide::Expr &blocks);

  bool any() const { return parts > 1; }

  /// Blocks that one part walks through: the extent of its loop.
  Halide::Expr blocksPerPart() const { return perPart; }

  /// The block at a step of that loop; to be left out where it is not below the number of blocks.
  Halide::Expr block(const Halide::Expr &step) const { return any() ? part * perPart + step : step; }

  /// Defines `whole`, in these coordinates: at `place`, which may be a function of reduction variables, `start` of the
  /// place, and `value` added up over all of these. With parts `value` goes to a sum of the part, and these to `whole`.
  /// Without, the places of step 0 must be all of `whole`: there `start` is taken for what is in memory, which saves a
  /// pass that would write it.
  void add(const Halide::Func &whole, const std::vector<Halide::Var> &coordinates, const Start &start,
           const std::vector<Halide::Expr> &place, const Halide::Expr &value, const Halide::Expr &step);

  /// The Func that add() gave an update.
  Halide::Func sums(const Halide::Func &whole) const { return any() ? partial : whole; }

  Halide::Var part{"part"};

private:
  int parts;
  Halide::Expr perPart;
  Halide::Func partial;
};

} // namespace partyline::kernels
