//===- codegen/kernels/softplus.cpp - log(1 + exp(x)) ---------------------===//

#include "codegen/kernels/unary.h"
#include "codegen/kernels/vector_math.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace softplus_family {

// y[E] = log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)); dx[E] = dy (1 - exp(-y))
RegisterUnary family(
    "softplus", [](Expr x) { return select(x < 0.0f, 0.0f, x) + vectorLog1p(vectorExp(-Halide::abs(x))); },
    [](Expr y, Expr dy) { return dy * -vectorExpm1(-y); });

} // namespace softplus_family
} // namespace partyline::kernels
