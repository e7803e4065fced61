//===- codegen/kernels/abs.cpp - |x| --------------------------------------===//

#include "codegen/kernels/unary.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace abs_family {

// y[E] = |x|; dx[E] = dy times the sign of x, at 0 as PyTorch: 0
RegisterUnary family(
    "abs", [](Expr x) { return Halide::abs(x); },
    [](Expr x, Expr dy) { return select(x == 0.0f, 0.0f, x < 0.0f, -dy, dy); });

} // namespace abs_family
} // namespace partyline::kernels
