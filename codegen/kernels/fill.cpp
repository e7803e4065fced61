//===- codegen/kernels/fill.cpp - one value everywhere --------------------===//

#include "codegen/kernels/elementwise.h"

using namespace Halide;

namespace partyline::kernels {
namespace fill_family {

// y[E] = value
Kernel buildFill(const Parameters &, const Target &target) {
  Param<float> value("value");
  Var e("e");
  Func result("result");
  result(e) = Expr(value);
  denseOutput(result);
  scheduleElements(result, e, vectorLanes(target));
  return {{value}, {result}};
}

RegisterKernel fill("fill", {}, buildFill);

} // namespace fill_family
} // namespace partyline::kernels
