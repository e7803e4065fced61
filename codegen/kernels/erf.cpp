//===- codegen/kernels/erf.cpp - the error function -----------------------===//

#include "codegen/kernels/unary.h"
#include "codegen/kernels/vector_math.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace erf_family {

// y[E] = erf(x); dx[E] = dy 2/sqrt(pi) exp(-x^2)
RegisterUnary family(
    "erf", [](Expr x) { return vectorErf(x); }, [](Expr x, Expr dy) { return dy * (1.12837917f * vectorExp(-x * x)); });

} // namespace erf_family
} // namespace partyline::kernels
