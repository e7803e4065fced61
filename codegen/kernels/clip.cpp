//===- codegen/kernels/clip.cpp - min(max(x, minimum), maximum) -----------===//

#include "codegen/kernels/unary.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace clip_family {

// y[E] = min(max(x, minimum), maximum); dx[E] = minimum < y < maximum ? dy : 0
RegisterUnary family(
    "clip", [](Expr x, Expr maximum, Expr minimum) { return select(x<minimum, minimum, x> maximum, maximum, x); },
    [](Expr y, Expr dy, Expr maximum, Expr minimum) { return select(y == minimum || y == maximum, 0.0f, dy); },
    "maximum", "minimum");

} // namespace clip_family
} // namespace partyline::kernels
