//===- codegen/kernels/elu.cpp - exponential linear unit ------------------===//

#include "codegen/kernels/unary.h"
#include "codegen/kernels/vector_math.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace elu_family {

// y[E] = x < 0 ? alpha (exp(x) - 1) : x; dx[E] = y > 0 ? dy : (y + alpha) dy: at 0 PyTorch's choice
RegisterUnary family(
    "elu", [](Expr x, Expr alpha) { return select(x < 0.0f, alpha * vectorExpm1(x), x); },
    [](Expr y, Expr dy, Expr alpha) { return select(y > 0.0f, dy, (y + alpha) * dy); }, "alpha");

} // namespace elu_family
} // namespace partyline::kernels
