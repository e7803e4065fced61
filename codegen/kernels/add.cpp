//===- codegen/kernels/add.cpp - a + b with broadcasting -------------------------------===//

#include "codegen/kernels/broadcast.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

Kernel buildAdd(const Parameters &parameters, const Target &target) {
  return broadcastKernel(parameters, target, [](Expr a, Expr b) { return a + b; });
}

RegisterKernel add("add", broadcastParameters(), buildAdd);

} // namespace
} // namespace partyline::kernels
