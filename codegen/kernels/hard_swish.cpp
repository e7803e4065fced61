//===- codegen/kernels/hard_swish.cpp - x min(max(x/6 + 1/2, 0), 1) -------===//

#include "codegen/kernels/unary.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace hard_swish_family {

// y[E] = x min(max(x/6 + 1/2, 0), 1); dx[E] = dy (x/3 + 1/2), but 0 from -3 down and dy from 3 up
RegisterUnary family(
    "hard_swish", [](Expr x) { return select(x<-3.0f, 0.0f, x> 3.0f, x, x * (x + 3.0f) * (1.0f / 6)); },
    [](Expr x, Expr dy) {
      Expr isInside = x > -3.0f && x < 3.0f;
      return select(isInside, dy * (x * (1.0f / 3) + 0.5f), x<0.0f, 0.0f, x> 0.0f, dy, x);
    });

} // namespace hard_swish_family
} // namespace partyline::kernels
