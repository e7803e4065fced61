//===- codegen/kernels/subtract.cpp - a - b with broadcasting -------------===//

#include "codegen/kernels/broadcast.h"

using Halide::Expr;

namespace partyline::kernels {
namespace subtract_family {

RegisterBroadcast family("subtract", [](Expr a, Expr b) { return a - b; });

} // namespace subtract_family
} // namespace partyline::kernels
