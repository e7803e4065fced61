//===- codegen/kernels/element_loss.h - losses that are means of elements -===//
#pragma once

#include "codegen/kernels/class_rows.h"

namespace partyline::kernels {

/// loss[M] = mean over the row of term(x, t), of x[M,E] and t[M,E] with a constant E.
template <typename Term> Kernel elementLossKernel(const Parameters &parameters, Term term) {
  const int elements = parameters.integer("elements");
  Halide::Var m("m");
  Halide::ImageParam x = classRows(elements, "x"), targets = classRows(elements, "targets");
  LaneReduction sum("sum", LaneReduction::sum, {m}, elements,
                    [&](Halide::Expr i) { return term(x(i, m), targets(i, m)); });
  Halide::Func loss("loss");
  loss(m) = strict(sum({m}) / float(elements));
  denseOutput(loss);
  sum.schedule(scheduleRowValues(loss, elements));
  return {{x, targets}, {loss}};
}

/// dx[E] = slope(x, t) (factor scale)
template <typename Slope> Kernel elementLossGradientKernel(const Halide::Target &target, Slope slope) {
  Halide::Param<float> scale("scale"), factor("factor");
  return elementwiseKernel({"x", "targets"}, target,
                           [&](const std::vector<Halide::Expr> &in) { return slope(in[0], in[1]) * (factor * scale); },
                           {scale, factor});
}

} // namespace partyline::kernels
