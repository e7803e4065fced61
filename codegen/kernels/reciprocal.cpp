//===- codegen/kernels/reciprocal.cpp - 1/x -------------------------------===//

#include "codegen/kernels/unary.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace reciprocal_family {

// y[E] = 1/x; dx[E] = -dy y^2
RegisterUnary family(
    "reciprocal", [](Expr x) { return 1.0f / x; }, [](Expr y, Expr dy) { return -dy * y * y; });

} // namespace reciprocal_family
} // namespace partyline::kernels
