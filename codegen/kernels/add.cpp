//===- codegen/kernels/add.cpp - a + b with broadcasting ------------------===//

#include "codegen/kernels/broadcast.h"

using Halide::Expr;

namespace partyline::kernels {
namespace add_family {

RegisterBroadcast family("add", [](Expr a, Expr b) { return a + b; });

} // namespace add_family
} // namespace partyline::kernels
