//===- codegen/kernels/sqrt.cpp - the square root -------------------------===//

#include "codegen/kernels/unary.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace sqrt_family {

// y[E] = sqrt(x); dx[E] = dy / (2 y)
RegisterUnary family(
    "sqrt", [](Expr x) { return Halide::sqrt(x); }, [](Expr y, Expr dy) { return dy * 0.5f / y; });

} // namespace sqrt_family
} // namespace partyline::kernels
