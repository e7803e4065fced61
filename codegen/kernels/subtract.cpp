//===- codegen/kernels/subtract.cpp - a - b with broadcasting --------------------------===//

#include "codegen/kernels/broadcast.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

Kernel buildSubtract(const Parameters &parameters, const Target &target) {
  return broadcastKernel(parameters, target, [](Expr a, Expr b) { return a - b; });
}

RegisterKernel subtract("subtract", broadcastParameters(), buildSubtract);

} // namespace
} // namespace partyline::kernels
