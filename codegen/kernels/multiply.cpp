//===- codegen/kernels/multiply.cpp - a b with broadcasting ----------------------------===//

#include "codegen/kernels/broadcast.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

Kernel buildMultiply(const Parameters &parameters, const Target &target) {
  return broadcastKernel(parameters, target, [](Expr a, Expr b) { return a * b; });
}

RegisterKernel multiply("multiply", broadcastParameters(), buildMultiply);

} // namespace
} // namespace partyline::kernels
