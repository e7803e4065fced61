//===- codegen/kernels/hard_sigmoid.cpp - min(max(alpha x + beta, 0), 1) ---===//

#include "codegen/kernels/unary.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace hard_sigmoid_family {

// y[E] = min(max(alpha x + beta, 0), 1); dx[E] = 0 < y < 1 ? alpha dy : 0
RegisterUnary family(
    "hard_sigmoid",
    [](Expr x, Expr alpha, Expr beta) {
      Expr line = alpha * x + beta;
      return select(line<0.0f, 0.0f, line> 1.0f, 1.0f, line);
    },
    [](Expr y, Expr dy, Expr alpha, Expr) { return select(y == 0.0f || y == 1.0f, 0.0f, alpha * dy); }, "alpha",
    "beta");

} // namespace hard_sigmoid_family
} // namespace partyline::kernels
