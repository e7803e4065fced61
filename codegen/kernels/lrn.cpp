//===- codegen/kernels/lrn.cpp - local response normalisation -------------===//
//
// s[M,C] = bias + alpha/size * sum of x^2 over the window of c;  y = x s^-beta
// dx = dy s^-beta - 2 alpha/size beta x * sum of dy x s^(-beta-1) over the windows that c is in
// A window begins (size - 1) / 2 before its channel. Krizhevsky, Sutskever and Hinton 2012, section 3.3.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/class_rows.h"
#include "codegen/kernels/powers.h"

using namespace Halide;

namespace partyline::kernels {
namespace lrn_family {

Var c("c"), m("m");

/// What forward and backward share: x, its parameters, and s of every channel.
struct Normalisation {
  int channels, before, behind;
  double beta;
  Param<float> factor{"factor"}, bias{"bias"}; ///< factor = alpha / size
  ImageParam x;
  Func scale{"scale"};

  explicit Normalisation(const Parameters &parameters)
      : channels(parameters.integer("channels")), before((parameters.integer("size") - 1) / 2),
        behind(parameters.integer("size") / 2), beta(parameters.real("beta")), x(classRows(channels, "x")) {
    scale(c, m) = strict(bias + factor * sumAround(before, behind, [this](Expr i) { return x(i, m) * x(i, m); }));
  }

  // The sum of term(c - first), ..., term(c + last), written out; beyond the channels there are zeros.
  template <typename Term> Expr sumAround(int first, int last, Term term) const {
    Expr sum;
    for (int i = -std::min(first, channels - 1); i <= std::min(last, channels - 1); ++i) {
      Expr place = c + i;
      Expr value = select(place >= 0 && place < channels, term(clamp(place, 0, channels - 1)), 0.0f);
      sum = sum.defined() ? sum + value : value;
    }
    return sum;
  }
};

// Vectors that divide the channels: behind a guarded tail of 3 or 5 channels, Halide 14 reads the first vector of
// `scale` for all.
int evenLanes(const Target &target, int channels) {
  int lanes = vectorLanes(target);
  while (channels % lanes)
    lanes /= 2;
  return lanes;
}

// Tasks of whole rows, for which `kept` are computed first.
void schedule(Func result, const std::vector<Func> &kept, int channels, const Target &target) {
  const int lanes = evenLanes(target, channels);
  Var row("row"), task("task");
  denseOutput(result);
  result.output_buffer().dim(0).set_bounds(0, channels);
  result.bound(c, 0, channels).vectorize(c, lanes).split(m, task, row, std::max(1, taskElements / channels), guarded);
  result.parallel(task);
  for (Func f : kept)
    f.compute_at(result, row).bound(c, 0, channels).vectorize(c, lanes);
}

Kernel buildLrn(const Parameters &parameters, const Target &target) {
  Normalisation lrn(parameters);
  Func result("result");
  result(c, m) = strict(lrn.x(c, m) * power(lrn.scale(c, m), -lrn.beta));
  schedule(result, {lrn.scale}, lrn.channels, target);
  return {{lrn.factor, lrn.bias, lrn.x}, {result}};
}

Kernel buildLrnGradient(const Parameters &parameters, const Target &target) {
  Normalisation lrn(parameters);
  ImageParam dy = classRows(lrn.channels, "dy");
  Func share("share"), ratio("ratio"), result("result");
  share(c, m) = strict(power(lrn.scale(c, m), -lrn.beta));
  ratio(c, m) = strict(dy(c, m) * lrn.x(c, m) * share(c, m) / lrn.scale(c, m));
  Expr windows = lrn.sumAround(lrn.behind, lrn.before, [&](Expr i) { return ratio(i, m); });
  result(c, m) = strict(dy(c, m) * share(c, m) - (2.0f * float(lrn.beta)) * lrn.factor * lrn.x(c, m) * windows);
  schedule(result, {lrn.scale, share, ratio}, lrn.channels, target);
  return {{lrn.factor, lrn.bias, lrn.x, dy}, {result}};
}

RegisterKernel lrn("lrn", {"channels", "size", "beta"}, buildLrn);
RegisterKernel lrnGradient("lrn_gradient", {"channels", "size", "beta"}, buildLrnGradient);

} // namespace lrn_family
} // namespace partyline::kernels
