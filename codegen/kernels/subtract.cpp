//===- codegen/kernels/subtract.cpp - a - b with broadcasting -------------===//

#include "codegen/kernels/broadcast.h"

using Halide::Expr;

namespace partyline::kernels {
namespace {

RegisterBroadcast family("subtract", [](Expr a, Expr b) { return a - b; });

} // namespace
} // namespace partyline::kernels
