//===- codegen/kernels/cross_entropy.cpp - loss of logits and its gradient -===//
//
// loss = log(sum exp(x - top)) - (x[label] - top): finite and exact for any logits, where the logarithm of a
// probability would be that of 0. With smoothing s the target is 1 - s of the label and s of the mean of all classes
// (C. Szegedy et al., "Rethinking the Inception architecture", 2016). Rows count as class_labels.h says.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/class_labels.h"
#include "codegen/kernels/vector_math.h"

using namespace Halide;

namespace partyline::kernels {
namespace cross_entropy_family {

Var c("c"), m("m");

// loss[M], probabilities[M,C] of logits[M,C], labels[M]
Kernel buildCrossEntropy(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM
  const int channels = parameters.integer("channels");
  ImageParam logits = classRows(channels, "logits");
  const ClassLabels labels(parameters);
  LaneReduction top("top", LaneReduction::maximum, {m}, channels, [&](Expr i) { return logits(i, m); });
  LaneReduction sum("sum", LaneReduction::sum, {m}, channels,
                    [&](Expr i) { return vectorExp(logits(i, m) - top({m})); });
  Func row("row"), loss("loss"), probabilities("probabilities");
  LaneReduction total("total", LaneReduction::sum, {m}, channels, [&](Expr i) { return logits(i, m) - top({m}); });
  const float smoothing = float(parameters.real("smoothing"));
  Expr score = logits(labels.inRange(m), m) - top({m});
  if (smoothing > 0)
    score = (1.0f - smoothing) * score + smoothing / float(channels) * total({m});
  row(m) = Tuple(top({m}), sum({m}), strict(labels.counted(log(sum({m})) - score, m)));
  loss(m) = row(m)[2];
  probabilities(c, m) = strict(vectorExp(logits(c, m) - row(m)[0]) / row(m)[1]);

  // THE SCHEDULE. The numbers of all rows come first, so that the probabilities may replace the logits.
  denseOutput(loss);
  LoopLevel level = scheduleRowValues(row, channels);
  top.schedule(level);
  sum.schedule(level);
  if (smoothing > 0)
    total.schedule(level);
  scheduleClassRows(probabilities, channels, target);
  return {labels.arguments({}, {logits}), {loss, probabilities}};
}

// dlogits[M,C] = (probabilities - target) scale, counted
Kernel buildCrossEntropyGradient(const Parameters &parameters, const Target &target) {
  const int channels = parameters.integer("channels");
  Param<float> scale("scale");
  ImageParam probabilities = classRows(channels, "probabilities");
  const ClassLabels labels(parameters);
  Func result("result");
  const float smoothing = float(parameters.real("smoothing")), rest = smoothing / float(channels);
  Expr wanted = select(c == labels(m), 1.0f - smoothing + rest, rest);
  result(c, m) = strict(labels.counted((probabilities(c, m) - wanted) * scale, m));
  scheduleClassRows(result, channels, target);
  return {labels.arguments({scale}, {probabilities}), {result}};
}

const std::vector<std::string> names = {"channels", "smoothing", "weighted", "ignores"};
RegisterKernel crossEntropy("cross_entropy", names, buildCrossEntropy);
RegisterKernel crossEntropyGradient("cross_entropy_gradient", names, buildCrossEntropyGradient);

} // namespace cross_entropy_family
} // namespace partyline::kernels
