//===- codegen/kernels/tanh.cpp - the hyperbolic tangent ------------------===//

#include "codegen/kernels/unary.h"
#include "codegen/kernels/vector_math.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace tanh_family {

// y[E] = tanh(x); dx[E] = dy (1 - y^2), as a product: 1 - y^2 would lose digits where |y| is near 1
RegisterUnary family(
    "tanh", [](Expr x) { return vectorTanh(x); }, [](Expr y, Expr dy) { return dy * ((1.0f - y) * (1.0f + y)); });

} // namespace tanh_family
} // namespace partyline::kernels
