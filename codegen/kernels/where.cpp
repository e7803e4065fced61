//===- codegen/kernels/where.cpp - selection and comparisons with broadcasting ---===//

#include "codegen/kernels/broadcast.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace where_family {

// y[dims] = condition ? yes : no
RegisterBroadcast<3> where("where",
                           [](Expr condition, Expr yes, Expr no) { return select(condition != 0.0f, yes, no); });

// y[dims] = 1 or 0
RegisterBroadcast greater("greater", [](Expr a, Expr b) { return select(a > b, 1.0f, 0.0f); });
RegisterBroadcast greaterOrEqual("greater_or_equal",
                                 [](Expr a, Expr b) { return select(a > b || a == b, 1.0f, 0.0f); });
RegisterBroadcast equal("equal", [](Expr a, Expr b) { return select(a == b, 1.0f, 0.0f); });

} // namespace where_family
} // namespace partyline::kernels
