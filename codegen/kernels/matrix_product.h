//===- matrix_product.h - register-tiled products of matrices -------------===//
//
// What matrix products and 1x1 convolutions share. All loops are written out as one reduction domain over the tiles of
// the output, so that every extent inside is a constant whatever the shapes are, and guards stand only at stores.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/candidate.h"

#include <Halide.h>

#include <functional>

namespace partyline::kernels {

/// y(n, m) = sum over k of left(k, m) * right(n, k) + bias(n)
struct Product {
  using Element = std::function<Halide::Expr(Halide::Expr, Halide::Expr)>;
  Halide::Expr rows; ///< m: at run time
  int columns = 0;   ///< n
  int depth = 0;     ///< k
  Element left, right;
  bool fewRows = false;    ///< often: a batch, not its pixels
  bool transposed = false; ///< `right` is contiguous in k, not in n
  std::function<Halide::Expr(Halide::Expr)> bias;
  int dimensions = 2; ///< of y; those behind m are addressed at 0
  /// Where y(n, m) lies in a y that has more rows than there are m: the others are 0. Null: at (n, m).
  std::function<std::vector<Halide::Expr>(Halide::Expr n, Halide::Expr m)> place;
  Candidate candidate;
};
Halide::Func matrixProduct(const Product &product, const Halide::Target &target);

/// dw(n, k) = (accumulate ? dw(n, k) : 0) + sum over m of left(k, m) * right(n, m)
struct OuterProduct {
  using Element = Product::Element;
  Halide::Expr rows; ///< m: at run time
  int columns = 0;   ///< n
  int depth = 0;     ///< k
  Element left, right, old;
  Halide::Expr accumulate;
  bool packLeft = false; ///< rows of `left` are costly to find: they are copied, once for all tiles that read them
  int dimensions = 2;    ///< of dw; (n, k) stay the innermost, the others are addressed at 0
  Candidate candidate;
};
Halide::Func outerProduct(const OuterProduct &product, const Halide::Target &target);

} // namespace partyline::kernels
