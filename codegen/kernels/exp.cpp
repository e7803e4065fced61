//===- codegen/kernels/exp.cpp - the exponential function -----------------===//

#include "codegen/kernels/unary.h"
#include "codegen/kernels/vector_math.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace exp_family {

// y[E] = exp(x); dx[E] = dy y
RegisterUnary family(
    "exp", [](Expr x) { return vectorExp(x); }, [](Expr y, Expr dy) { return dy * y; });

} // namespace exp_family
} // namespace partyline::kernels
