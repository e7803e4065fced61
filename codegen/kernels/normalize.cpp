//===- codegen/kernels/normalize.cpp - rows of mean 0 and variance 1 ------===//

#include "codegen/kernels/class_rows.h"

using namespace Halide;

namespace partyline::kernels {
namespace normalize_family {

Var c("c"), m("m");

// Mean and 1 / sqrt(variance + epsilon) of every row, in two passes: a difference of squares would lose digits.
class Moments {
public:
  Moments(ImageParam x, int channels, Expr epsilon)
      : x(x), channels(channels), epsilon(epsilon),
        sum("sum", LaneReduction::sum, {m}, channels, [x](Expr i) { return x(i, m); }),
        squares("squares", LaneReduction::sum, {m}, channels, [this](Expr i) { return deviation(i) * deviation(i); }) {}

  Expr deviation(Expr channel) const { return strict(x(channel, m) - sum({m}) / float(channels)); }
  Expr scale() const { return strict(1.0f / sqrt(squares({m}) / float(channels) + epsilon)); }

  void schedule(LoopLevel row) {
    sum.schedule(row);
    squares.schedule(row);
  }

private:
  ImageParam x;
  int channels;
  Expr epsilon;
  LaneReduction sum, squares;
};

// y[M,C] = (x - mean) scale
Kernel buildNormalize(const Parameters &parameters, const Target &target) {
  const int channels = parameters.integer("channels");
  Param<float> epsilon("epsilon");
  ImageParam x = classRows(channels, "x");
  Moments moments(x, channels, epsilon);
  Func scale("scale"), result("result");
  scale(m) = moments.scale();
  result(c, m) = strict(moments.deviation(c) * scale(m));
  LoopLevel row = scheduleClassRows(result, channels, target);
  moments.schedule(row);
  scale.compute_at(row);
  return {{epsilon, x}, {result}};
}

// dx[M,C] = (dy - mean(dy) - y mean(dy y)) scale
Kernel buildNormalizeGradient(const Parameters &parameters, const Target &target) {
  const int channels = parameters.integer("channels");
  Param<float> epsilon("epsilon");
  ImageParam x = classRows(channels, "x"), dy = classRows(channels, "dy");
  Moments moments(x, channels, epsilon);
  Func scale("scale"), result("result");
  scale(m) = moments.scale();
  auto y = [&](Expr i) { return moments.deviation(i) * scale(m); };
  LaneReduction sum("gradients", LaneReduction::sum, {m}, channels, [&](Expr i) { return dy(i, m); });
  LaneReduction product("products", LaneReduction::sum, {m}, channels, [&](Expr i) { return dy(i, m) * y(i); });
  result(c, m) = strict((dy(c, m) - sum({m}) / float(channels) - y(c) * (product({m}) / float(channels))) * scale(m));
  LoopLevel row = scheduleClassRows(result, channels, target);
  moments.schedule(row);
  scale.compute_at(row);
  sum.schedule(row);
  product.schedule(row);
  return {{epsilon, x, dy}, {result}};
}

RegisterKernel normalize("normalize", {"channels"}, buildNormalize);
RegisterKernel normalizeGradient("normalize_gradient", {"channels"}, buildNormalizeGradient);

} // namespace normalize_family
} // namespace partyline::kernels
