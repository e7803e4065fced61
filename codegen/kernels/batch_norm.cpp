//===- codegen/kernels/batch_norm.cpp - normalisation over rows -----------===//
//
// x is [M,C]: all samples and pixels are rows. With inv = 1/sqrt(variance + epsilon) and xhat = (x - mean) inv:
//   statistics          mean, variance = of each column (population)
//   forward             y = xhat scale + bias
//   parameter gradient  dscale = sum dy xhat, dbias = sum dy
//   input gradient      dx = scale inv (dy - dbias/M - xhat dscale/M), or scale inv dy where the statistics are given
// All but the statistics are functions of elements.h, named and with operands as their ops.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/column_sums.h"
#include "codegen/kernels/elements.h"

using namespace Halide;

namespace partyline::kernels {
namespace batch_norm_family {

Kernel buildStatistics(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM
  const int channels = parameters.integer("channels"), lanes = vectorLanes(target, channels);
  Var c("c");
  ImageParam x = inputBuffer(2, "x");
  x.dim(0).set_bounds(0, channels);
  ColumnMoments moments("x", c, x.dim(1).extent(), [&](Expr row) { return x(c, row); });

  // THE SCHEDULE
  moments.schedule(channels, lanes, scheduleColumns(moments.moments, c, channels, lanes));
  return {{x}, {moments.moments}};
}

Expr inverseDeviation(const ElementCall &call, const Expr &variance) {
  return 1.0f / sqrt(variance + call.attribute("epsilon"));
}

Expr forward(const ElementCall &call) {
  const Expr x = call[0], scale = call[1], bias = call[2], mean = call[3], variance = call[4];
  return (x - mean) * call.perChannel(scale * inverseDeviation(call, variance)) + bias;
}

Expr inputGradient(const ElementCall &call) {
  const Expr x = call[0], dy = call[1], mean = call[2], variance = call[3], scale = call[4], dscale = call[5],
             dbias = call[6], inverse = inverseDeviation(call, variance);
  const Expr factor = call.perChannel(scale * inverse), shift = call.perChannel(dbias / call.rows()),
             slope = call.perChannel(inverse * dscale / call.rows());
  return factor * ((dy - shift) - (x - mean) * slope);
}

Expr inferenceGradient(const ElementCall &call) {
  const Expr dy = call[0], variance = call[1], scale = call[2];
  return call.perChannel(scale * inverseDeviation(call, variance)) * dy;
}

/// dscale = inv sum dy (x - mean): the factor of a channel stays out of the sum.
const RowSumFunction parameterGradient = {
    [](const ElementCall &call) {
      const Expr x = call[0], dy = call[1], mean = call[2];
      return std::vector<Expr>{dy * (x - mean), dy};
    },
    [](const ElementCall &call, const std::vector<Expr> &totals) {
      return std::vector<Expr>{totals[0] * inverseDeviation(call, call[3]), totals[1]};
    }};

RegisterKernel statistics("batch_norm_statistics", {"channels"}, buildStatistics);
RegisterElement forwardElement("batch_norm_inference", forward);
RegisterElement inputElement("batch_norm_input_gradient", inputGradient);
RegisterElement inferenceElement("batch_norm_inference_gradient", inferenceGradient);
RegisterRowSum parameterSum("batch_norm_parameter_gradient", parameterGradient);

} // namespace batch_norm_family
} // namespace partyline::kernels
