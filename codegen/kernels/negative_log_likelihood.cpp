//===- codegen/kernels/negative_log_likelihood.cpp - loss of logarithms and its gradient -===//

#include "codegen/kernels/class_labels.h"

using namespace Halide;

namespace partyline::kernels {
namespace negative_log_likelihood_family {

Var c("c"), m("m");

// loss[M] of logarithms[M,C], labels[M]
Kernel buildNegativeLogLikelihood(const Parameters &parameters, const Target &) {
  const int channels = parameters.integer("channels");
  ImageParam logarithms = classRows(channels, "logarithms");
  const ClassLabels labels(parameters);
  Func loss("loss");
  loss(m) = strict(labels.counted(-logarithms(labels.inRange(m), m), m));
  denseOutput(loss);
  scheduleRowValues(loss, channels);
  return {labels.arguments({}, {logarithms}), {loss}};
}

// dlogarithms[M,C]
Kernel buildNegativeLogLikelihoodGradient(const Parameters &parameters, const Target &target) {
  Param<float> scale("scale");
  const ClassLabels labels(parameters);
  Func result("result");
  result(c, m) = strict(select(c == labels(m), labels.counted(-scale, m), 0.0f));
  scheduleClassRows(result, parameters.integer("channels"), target);
  return {labels.arguments({scale}, {}), {result}};
}

const std::vector<std::string> names = {"channels", "weighted", "ignores"};
RegisterKernel negativeLogLikelihood("negative_log_likelihood", names, buildNegativeLogLikelihood);
RegisterKernel negativeLogLikelihoodGradient("negative_log_likelihood_gradient", names,
                                             buildNegativeLogLikelihoodGradient);

} // namespace negative_log_likelihood_family
} // namespace partyline::kernels
