//===- codegen/kernels/sigmoid.cpp - 1/(1 + exp(-x)) ----------------------===//

#include "codegen/kernels/unary.h"
#include "codegen/kernels/vector_math.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace sigmoid_family {

// y[E] = 1/(1 + exp(-x)); dx[E] = dy y (1 - y)
RegisterUnary family(
    "sigmoid", [](Expr x) { return vectorSigmoid(x); }, [](Expr y, Expr dy) { return dy * (y * (1.0f - y)); });

} // namespace sigmoid_family
} // namespace partyline::kernels
