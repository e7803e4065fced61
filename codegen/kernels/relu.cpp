//===- codegen/kernels/relu.cpp - max(x, 0) -------------------------------===//

#include "codegen/kernels/unary.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace relu_family {

// y[E] = max(x, 0); dx[E] = y > 0 ? dy : 0, the output is mask enough
RegisterUnary family(
    "relu", [](Expr x) { return select(x < 0.0f, 0.0f, x); },
    [](Expr y, Expr dy) { return select(y == 0.0f, 0.0f, dy); });

} // namespace relu_family
} // namespace partyline::kernels
