//===- codegen/kernels/prelu.cpp - x, or slope x where negative, with broadcasting ---===//

#include "codegen/kernels/broadcast.h"

using Halide::Expr, Halide::select;

namespace partyline::kernels {
namespace prelu_family {

// y[dims] = x < 0 ? slope x : x
RegisterBroadcast forward("prelu", [](Expr x, Expr slope) { return select(x < 0.0f, slope * x, x); });

// dx[dims] = x > 0 ? dy : slope dy: at 0 PyTorch's choice
RegisterBroadcast<3> gradient("prelu_gradient",
                              [](Expr x, Expr slope, Expr dy) { return select(x > 0.0f, dy, slope * dy); });

// x > 0 ? 0 : x dy
RegisterBroadcast slopeGradient("prelu_slope_gradient", [](Expr x, Expr dy) { return select(x > 0.0f, 0.0f, x * dy); });

} // namespace prelu_family
} // namespace partyline::kernels
