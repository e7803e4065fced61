//===- codegen/kernels/selu.cpp - scaled exponential linear unit ----------===//

#include "codegen/kernels/unary.h"
#include "codegen/kernels/vector_math.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace selu_family {

// y[E] = gamma (x < 0 ? alpha (exp(x) - 1) : x); dx[E] = y > 0 ? gamma dy : (y + gamma alpha) dy: at 0 PyTorch's choice
RegisterUnary family(
    "selu", [](Expr x, Expr alpha, Expr gamma) { return gamma * select(x < 0.0f, alpha * vectorExpm1(x), x); },
    [](Expr y, Expr dy, Expr alpha, Expr gamma) { return select(y > 0.0f, gamma, y + gamma * alpha) * dy; }, "alpha",
    "gamma");

} // namespace selu_family
} // namespace partyline::kernels
