//===- codegen/kernels/class_labels.h - the labels of rows of scores ------===//
//
// What cross_entropy and negative_log_likelihood share: a row of scores counts with the weight of its label's class,
// and not at all where its label is the one that is ignored.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/class_rows.h"

namespace partyline::kernels {

/// Parameters: channels; weighted and ignores, 1 where there are class weights and a label that is ignored.
class ClassLabels {
public:
  explicit ClassLabels(const Parameters &parameters)
      : channels(parameters.integer("channels")), weighted(parameters.integer("weighted") != 0),
        ignores(parameters.integer("ignores") != 0) {
    weights.dim(0).set_bounds(0, channels);
  }

  Halide::Expr operator()(Halide::Expr row) const { return labels(row); }

  /// The class of a row. The worker checks labels; one out of range is clamped, to read no stray memory.
  Halide::Expr inRange(Halide::Expr row) const { return clamp(labels(row), 0, channels - 1); }

  /// What a number of a row is worth. Chosen, not multiplied by 0: a row that is ignored may hold anything.
  Halide::Expr counted(Halide::Expr value, Halide::Expr row) const {
    if (weighted)
      value = value * weights(inRange(row));
    return ignores ? select(labels(row) == ignored, 0.0f, value) : value;
  }

  /// A kernel's arguments: `scalars`, the label that is ignored; `inputs`, labels, weights.
  std::vector<Halide::Argument> arguments(const std::vector<Halide::Argument> &scalars,
                                          const std::vector<Halide::Argument> &inputs) const {
    std::vector<Halide::Argument> all = scalars;
    if (ignores)
      all.push_back(ignored);
    all.insert(all.end(), inputs.begin(), inputs.end());
    all.push_back(labels);
    if (weighted)
      all.push_back(weights);
    return all;
  }

private:
  const int channels;
  const bool weighted, ignores;
  Halide::Param<int32_t> ignored{"ignored"};
  Halide::ImageParam labels = inputBuffer(Halide::Int(32), 1, "labels"), weights = inputBuffer(1, "weights");
};

} // namespace partyline::kernels
