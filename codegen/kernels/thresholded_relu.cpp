//===- codegen/kernels/thresholded_relu.cpp - x where larger than alpha ---===//

#include "codegen/kernels/unary.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace thresholded_relu_family {

// y[E] = x > alpha ? x : 0; dx[E] = x > alpha ? dy : 0
RegisterUnary family(
    "thresholded_relu", [](Expr x, Expr alpha) { return select(x < alpha || x == alpha, 0.0f, x); },
    [](Expr x, Expr dy, Expr alpha) { return select(x < alpha || x == alpha, 0.0f, dy); }, "alpha");

} // namespace thresholded_relu_family
} // namespace partyline::kernels
