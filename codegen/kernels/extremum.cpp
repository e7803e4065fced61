//===- codegen/kernels/extremum.cpp - maximum and minimum with broadcasting ---===//

#include "codegen/kernels/broadcast.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace extremum_family {

// y[dims] = max(a, b), min(a, b). A NaN of either operand is the result.
RegisterBroadcast maximum("maximum", [](Expr a, Expr b) { return select(a > b || a != a, a, b); });
RegisterBroadcast minimum("minimum", [](Expr a, Expr b) { return select(a < b || a != a, a, b); });

// dy where a > b, half of it where they are equal, else 0
RegisterBroadcast<3> gradient("extremum_gradient",
                              [](Expr a, Expr b, Expr dy) { return select(a > b, dy, a == b, 0.5f * dy, 0.0f); });

} // namespace extremum_family
} // namespace partyline::kernels
