//===- codegen/kernels/divide.cpp - a / b with broadcasting ---------------===//

#include "codegen/kernels/broadcast.h"

using Halide::Expr;

namespace partyline::kernels {
namespace divide_family {

RegisterBroadcast family("divide", [](Expr a, Expr b) { return a / b; });

} // namespace divide_family
} // namespace partyline::kernels
