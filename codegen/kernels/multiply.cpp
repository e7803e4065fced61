//===- codegen/kernels/multiply.cpp - a * b with broadcasting -------------===//

#include "codegen/kernels/broadcast.h"

using Halide::Expr;

namespace partyline::kernels {
namespace multiply_family {

RegisterBroadcast family("multiply", [](Expr a, Expr b) { return a * b; });

} // namespace multiply_family
} // namespace partyline::kernels
