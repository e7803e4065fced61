//===- codegen/kernels/divide.cpp - a / b with broadcasting ---------------===//

#include "codegen/kernels/broadcast.h"

using Halide::Expr;

namespace partyline::kernels {
namespace {

RegisterBroadcast family("divide", [](Expr a, Expr b) { return a / b; });

} // namespace
} // namespace partyline::kernels
