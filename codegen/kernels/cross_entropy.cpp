//===- codegen/kernels/cross_entropy.cpp - loss of logits and its gradient -===//
//
// loss = log(sum exp(x - top)) - (x[label] - top): finite and exact for any logits, where the logarithm of a
// probability would be that of 0. Labels are checked by the worker; one out of range is clamped, to read no stray
// memory.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/class_rows.h"
#include "codegen/kernels/vector_math.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

Var c("c"), m("m");

ImageParam labelsOfRows() { return inputBuffer(Int(32), 1, "labels"); }

// loss[M], probabilities[M,C] of logits[M,C], labels[M]
Kernel buildCrossEntropy(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM
  const int channels = parameters.integer("channels");
  ImageParam logits = classRows(channels, "logits"), labels = labelsOfRows();
  LaneReduction top("top", LaneReduction::maximum, {m}, channels, [&](Expr i) { return logits(i, m); });
  LaneReduction sum("sum", LaneReduction::sum, {m}, channels,
                    [&](Expr i) { return vectorExp(logits(i, m) - top({m})); });
  Func row("row"), loss("loss"), probabilities("probabilities");
  row(m) = Tuple(top({m}), sum({m}),
                 strict(log(sum({m})) - (logits(clamp(labels(m), 0, channels - 1), m) - top({m}))));
  loss(m) = row(m)[2];
  probabilities(c, m) = strict(vectorExp(logits(c, m) - row(m)[0]) / row(m)[1]);

  // THE SCHEDULE. The numbers of all rows come first, so that the probabilities may replace the logits.
  denseOutput(loss);
  LoopLevel level = scheduleRowValues(row, channels);
  top.schedule(level);
  sum.schedule(level);
  scheduleClassRows(probabilities, channels, target);
  return {{logits, labels}, {loss, probabilities}};
}

// dlogits[M,C] = (probabilities - onehot(labels)) scale
Kernel buildCrossEntropyGradient(const Parameters &parameters, const Target &target) {
  const int channels = parameters.integer("channels");
  Param<float> scale("scale");
  ImageParam probabilities = classRows(channels, "probabilities"), labels = labelsOfRows();
  Func result("result");
  result(c, m) = strict((probabilities(c, m) - select(c == labels(m), 1.0f, 0.0f)) * scale);
  scheduleClassRows(result, channels, target);
  return {{scale, probabilities, labels}, {result}};
}

RegisterKernel crossEntropy("cross_entropy", {"channels"}, buildCrossEntropy);
RegisterKernel crossEntropyGradient("cross_entropy_gradient", {"channels"}, buildCrossEntropyGradient);

} // namespace
} // namespace partyline::kernels
