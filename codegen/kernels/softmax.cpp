//===- codegen/kernels/softmax.cpp - softmax of each row and its gradient -===//

#include "codegen/kernels/class_rows.h"
#include "codegen/kernels/vector_math.h"

using namespace Halide;

namespace partyline::kernels {
namespace softmax_family {

Var c("c"), m("m");

// y[M,C] = exp(x - top) / sum exp(x - top), top the maximum of the row: no exponential is larger than 1
Kernel buildSoftmax(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM
  const int channels = parameters.integer("channels");
  ImageParam x = classRows(channels, "x");
  LaneReduction top("top", LaneReduction::maximum, {m}, channels, [&](Expr i) { return x(i, m); });
  Func e("e"), result("result");
  e(c, m) = strict(vectorExp(x(c, m) - top({m})));
  LaneReduction sum("sum", LaneReduction::sum, {m}, channels, [&](Expr i) { return e(i, m); });
  result(c, m) = strict(e(c, m) / sum({m}));

  // THE SCHEDULE. The exponentials of a row are kept, on the stack up to 4096 of them.
  LoopLevel row = scheduleClassRows(result, channels, target);
  top.schedule(row);
  sum.schedule(row);
  e.compute_at(row).vectorize(c, vectorLanes(target, channels), guarded);
  return {{x}, {result}};
}

// dx[M,C] = y (dy - sum y dy)
Kernel buildSoftmaxGradient(const Parameters &parameters, const Target &target) {
  const int channels = parameters.integer("channels");
  ImageParam y = classRows(channels, "y"), dy = classRows(channels, "dy");
  LaneReduction sum("sum", LaneReduction::sum, {m}, channels, [&](Expr i) { return y(i, m) * dy(i, m); });
  Func result("result");
  result(c, m) = strict(y(c, m) * (dy(c, m) - sum({m})));
  sum.schedule(scheduleClassRows(result, channels, target));
  return {{y, dy}, {result}};
}

RegisterKernel softmax("softmax", {"channels"}, buildSoftmax);
RegisterKernel softmaxGradient("softmax_gradient", {"channels"}, buildSoftmaxGradient);

} // namespace softmax_family
} // namespace partyline::kernels
