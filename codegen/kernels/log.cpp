//===- codegen/kernels/log.cpp - the natural logarithm --------------------===//

#include "codegen/kernels/unary.h"
#include "codegen/kernels/vector_math.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace log_family {

// y[E] = log(x); dx[E] = dy / x
RegisterUnary family(
    "log", [](Expr x) { return vectorLog(x); }, [](Expr x, Expr dy) { return dy / x; });

} // namespace log_family
} // namespace partyline::kernels
