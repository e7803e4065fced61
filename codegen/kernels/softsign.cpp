//===- codegen/kernels/softsign.cpp - x/(1 + |x|) -------------------------===//

#include "codegen/kernels/unary.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace softsign_family {

// y[E] = x/(1 + |x|); dx[E] = dy/(1 + |x|)^2
RegisterUnary family(
    "softsign", [](Expr x) { return x / (1.0f + Halide::abs(x)); },
    [](Expr x, Expr dy) {
      Expr divisor = 1.0f + Halide::abs(x);
      return dy / divisor / divisor;
    });

} // namespace softsign_family
} // namespace partyline::kernels
