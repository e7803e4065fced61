//===- codegen/kernels/momentum_step.h - how sgd and lars move weights ----===//
//
// direction = factor (gradient + weight_decay weight); buffer = momentum buffer + direction; weight -= learning_rate
// buffer (or direction without momentum). Every rank computes this for itself, and phones are not alike: strict()
// forbids contracting to fused multiply-adds, so that the replicas stay identical to the bit on different CPUs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/elementwise.h"

namespace partyline::kernels {

struct MomentumStep {
  Halide::Param<float> learningRate{"learning_rate"}, momentum{"momentum"}, weightDecay{"weight_decay"};
  Halide::ImageParam gradient = inputBuffer(1, "gradient"), weight = inputBuffer(1, "weight"),
                     buffer = inputBuffer(1, "buffer");

  /// Arguments: the learning rate, the momentum where there is one, the weight decay, `scalars`, gradient, weight, and
  /// the buffer where there is momentum. `factor`: one for all elements; undefined: 1.
  Kernel kernel(bool hasMomentum, const Halide::Target &target, Halide::Expr factor = {},
                const std::vector<Halide::Argument> &scalars = {});
};

} // namespace partyline::kernels
