//===- codegen/kernels/leaky_relu.cpp - x, or alpha x where negative ------===//

#include "codegen/kernels/unary.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace leaky_relu_family {

// y[E] = x < 0 ? alpha x : x; dx[E] = y > 0 ? dy : alpha dy: at 0 PyTorch's choice
RegisterUnary family(
    "leaky_relu", [](Expr x, Expr alpha) { return select(x < 0.0f, alpha * x, x); },
    [](Expr y, Expr dy, Expr alpha) { return select(y > 0.0f, dy, alpha * dy); }, "alpha");

} // namespace leaky_relu_family
} // namespace partyline::kernels
