//===- codegen/kernels/batch_norm.cpp - normalisation over rows -----------===//
//
// x is [M,C]: all samples and pixels are rows. With inv = 1/sqrt(variance + epsilon) and xhat = (x - mean) inv:
//   statistics          mean, variance = of each column (population)
//   forward             y = xhat scale + bias
//   parameter gradient  dscale = sum dy xhat, dbias = sum dy
//   input gradient      dx = scale inv (dy - dbias/M - xhat dscale/M), or scale inv dy where the statistics are given
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/column_sums.h"

using namespace Halide;

namespace partyline::kernels {
namespace batch_norm_family {

Var c("c"), m("m");

ImageParam rowsOf(int channels, const std::string &name) {
  ImageParam buffer = inputBuffer(2, name);
  buffer.dim(0).set_bounds(0, channels);
  return buffer;
}

ImageParam perChannel(int channels, const std::string &name) {
  ImageParam buffer = inputBuffer(1, name);
  buffer.dim(0).set_bounds(0, channels);
  return buffer;
}

Expr inverseDeviation(ImageParam variance, double epsilon) {
  return 1.0f / sqrt(variance(c) + static_cast<float>(epsilon));
}

void boundChannels(Func f, int channels) {
  denseOutput(f);
  f.output_buffers()[0].dim(0).set_bounds(0, channels);
}

/// Vectors of results per channel: where the sums over the rows end.
LoopLevel scheduleChannels(Func f, int lanes) {
  Var vector("vector"), lane("lane");
  f.compute_root().split(c, vector, lane, lanes, guarded).vectorize(lane);
  return LoopLevel(f, vector);
}

/// result(c, m), from factors that are made once per channel.
void scheduleRowsOf(Func result, const std::vector<Func> &factors, int channels, int lanes) {
  for (Func factor : factors)
    factor.compute_root().vectorize(c, lanes, guarded);
  scheduleRows(result, {c, m}, channels, lanes);
}

Kernel buildStatistics(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM
  const int channels = parameters.integer("channels"), lanes = vectorLanes(target, channels);
  ImageParam x = rowsOf(channels, "x");
  ColumnMoments moments("x", c, x.dim(1).extent(), [&](Expr row) { return x(c, row); });

  // THE SCHEDULE
  for (Func f : {moments.mean, moments.variance})
    boundChannels(f, channels);
  moments.schedule(lanes, scheduleChannels(moments.mean, lanes), scheduleChannels(moments.variance, lanes));
  return {{x}, {moments.mean, moments.variance}};
}

Kernel buildForward(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM
  const int channels = parameters.integer("channels"), lanes = vectorLanes(target, channels);
  ImageParam x = rowsOf(channels, "x"), mean = perChannel(channels, "mean"),
             variance = perChannel(channels, "variance"), scale = perChannel(channels, "scale"),
             bias = perChannel(channels, "bias");
  Func factor("factor"), result("result");
  factor(c) = strict(scale(c) * inverseDeviation(variance, parameters.real("epsilon")));
  result(c, m) = strict((x(c, m) - mean(c)) * factor(c) + bias(c));

  // THE SCHEDULE
  boundChannels(result, channels);
  scheduleRowsOf(result, {factor}, channels, lanes);
  return {{x, mean, variance, scale, bias}, {result}};
}

Kernel buildParameterGradient(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM. dscale = inv sum dy (x - mean): the factor of a channel stays out of the sum.
  const int channels = parameters.integer("channels"), lanes = vectorLanes(target, channels);
  ImageParam x = rowsOf(channels, "x"), dy = rowsOf(channels, "dy"), mean = perChannel(channels, "mean"),
             variance = perChannel(channels, "variance");
  ColumnSums sums("sums", c, x.dim(1).extent(), [&](Expr row) {
    return std::vector<Expr>{dy(c, row) * (x(c, row) - mean(c)), dy(c, row)};
  });
  Func result("result");
  result(c) = Tuple(strict(sums(c, 0) * inverseDeviation(variance, parameters.real("epsilon"))), sums(c, 1));

  // THE SCHEDULE
  boundChannels(result, channels);
  sums.schedule(lanes, scheduleChannels(result, lanes));
  return {{x, dy, mean, variance}, {result}};
}

Kernel buildInputGradient(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM
  const int channels = parameters.integer("channels"), lanes = vectorLanes(target, channels);
  ImageParam x = rowsOf(channels, "x"), dy = rowsOf(channels, "dy"), mean = perChannel(channels, "mean"),
             variance = perChannel(channels, "variance"), scale = perChannel(channels, "scale"),
             dscale = perChannel(channels, "dscale"), dbias = perChannel(channels, "dbias");
  Func factor("factor"), shift("shift"), slope("slope"), result("result");
  Expr rows = cast<float>(x.dim(1).extent()), inverse = inverseDeviation(variance, parameters.real("epsilon"));
  factor(c) = strict(scale(c) * inverse);
  shift(c) = strict(dbias(c) / rows);
  slope(c) = strict(inverse * dscale(c) / rows);
  result(c, m) = strict(factor(c) * ((dy(c, m) - shift(c)) - (x(c, m) - mean(c)) * slope(c)));

  // THE SCHEDULE
  boundChannels(result, channels);
  scheduleRowsOf(result, {factor, shift, slope}, channels, lanes);
  return {{x, dy, mean, variance, scale, dscale, dbias}, {result}};
}

Kernel buildInferenceGradient(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM
  const int channels = parameters.integer("channels"), lanes = vectorLanes(target, channels);
  ImageParam dy = rowsOf(channels, "dy"), variance = perChannel(channels, "variance"),
             scale = perChannel(channels, "scale");
  Func factor("factor"), result("result");
  factor(c) = strict(scale(c) * inverseDeviation(variance, parameters.real("epsilon")));
  result(c, m) = strict(factor(c) * dy(c, m));

  // THE SCHEDULE
  boundChannels(result, channels);
  scheduleRowsOf(result, {factor}, channels, lanes);
  return {{dy, variance, scale}, {result}};
}

RegisterKernel statistics("batch_norm_statistics", {"channels"}, buildStatistics);
RegisterKernel forward("batch_norm", {"channels", "epsilon"}, buildForward);
RegisterKernel parameterGradient("batch_norm_parameter_gradient", {"channels", "epsilon"}, buildParameterGradient);
RegisterKernel inferenceGradient("batch_norm_inference_gradient", {"channels", "epsilon"}, buildInferenceGradient);
RegisterKernel inputGradient("batch_norm_input_gradient", {"channels", "epsilon"}, buildInputGradient);

} // namespace batch_norm_family
} // namespace partyline::kernels
