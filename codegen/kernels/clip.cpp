//===- codegen/kernels/clip.cpp - min(max(x, minimum), maximum) and its gradient -===//

#include "codegen/kernels/elementwise.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

// An elementwise kernel behind two scalars, the bounds.
template <typename Function>
Kernel boundedKernel(const std::vector<std::string> &names, const Target &target, Function function) {
  Param<float> minimum("minimum"), maximum("maximum");
  return elementwiseKernel(names, target,
                           [&](const std::vector<Expr> &in) { return function(in, Expr(minimum), Expr(maximum)); },
                           {minimum, maximum});
}

// y[E] = min(max(x[E], minimum), maximum), written so that NaN stays NaN.
Kernel buildClip(const Parameters &, const Target &target) {
  return boundedKernel({"x"}, target, [](const std::vector<Expr> &in, Expr minimum, Expr maximum) {
    return select(in[0] < minimum, minimum, select(in[0] > maximum, maximum, in[0]));
  });
}

// dx[E] = minimum < y < maximum ? dy : 0. NaN passes the gradient on: a diverging run must show.
Kernel buildClipGradient(const Parameters &, const Target &target) {
  return boundedKernel({"y", "dy"}, target, [](const std::vector<Expr> &in, Expr minimum, Expr maximum) {
    return select(in[0] <= minimum || in[0] >= maximum, 0.0f, in[1]);
  });
}

RegisterKernel clip("clip", {}, buildClip);
RegisterKernel clipGradient("clip_gradient", {}, buildClipGradient);

} // namespace
} // namespace partyline::kernels
