//===- codegen/kernels/log_softmax.cpp - logarithm of softmax and its gradient ---===//

#include "codegen/kernels/class_rows.h"
#include "codegen/kernels/vector_math.h"

using namespace Halide;

namespace partyline::kernels {
namespace log_softmax_family {

Var c("c"), m("m");

// y[M,C] = (x - top) - log(sum exp(x - top))
Kernel buildLogSoftmax(const Parameters &parameters, const Target &target) {
  const int channels = parameters.integer("channels");
  ImageParam x = classRows(channels, "x");
  LaneReduction top("top", LaneReduction::maximum, {m}, channels, [&](Expr i) { return x(i, m); });
  LaneReduction sum("sum", LaneReduction::sum, {m}, channels, [&](Expr i) { return vectorExp(x(i, m) - top({m})); });
  Func logSum("log_sum"), result("result");
  logSum(m) = strict(log(sum({m})));
  result(c, m) = strict((x(c, m) - top({m})) - logSum(m));

  LoopLevel row = scheduleClassRows(result, channels, target);
  top.schedule(row);
  sum.schedule(row);
  logSum.compute_at(row);
  return {{x}, {result}};
}

// dx[M,C] = dy - exp(y) sum dy
Kernel buildLogSoftmaxGradient(const Parameters &parameters, const Target &target) {
  const int channels = parameters.integer("channels");
  ImageParam y = classRows(channels, "y"), dy = classRows(channels, "dy");
  LaneReduction sum("sum", LaneReduction::sum, {m}, channels, [&](Expr i) { return dy(i, m); });
  Func result("result");
  result(c, m) = strict(dy(c, m) - vectorExp(y(c, m)) * sum({m}));
  sum.schedule(scheduleClassRows(result, channels, target));
  return {{y, dy}, {result}};
}

RegisterKernel logSoftmax("log_softmax", {"channels"}, buildLogSoftmax);
RegisterKernel logSoftmaxGradient("log_softmax_gradient", {"channels"}, buildLogSoftmaxGradient);

} // namespace log_softmax_family
} // namespace partyline::kernels
