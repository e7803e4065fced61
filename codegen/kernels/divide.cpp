//===- codegen/kernels/divide.cpp - a / b with broadcasting -------------------------------===//

#include "codegen/kernels/broadcast.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

Kernel buildDivide(const Parameters &parameters, const Target &target) {
  return broadcastKernel(parameters, target, [](Expr a, Expr b) { return a / b; });
}

RegisterKernel divide("divide", broadcastParameters(), buildDivide);

} // namespace
} // namespace partyline::kernels
