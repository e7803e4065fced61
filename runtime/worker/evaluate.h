//===- evaluate.h - accuracy and loss on a split --------------------------===//
#pragma once

#include "runtime/worker/session.h"
#include "runtime/worker/step_log.h"

#include <functional>

namespace partyline::runtime {

struct Evaluation {
  int64_t samples = 0;
  std::optional<Accuracy> accuracy; ///< where samples have labels and the network more than one output
  double loss = 0;                  ///< mean, or what the model's own loss makes of it
  std::vector<float> logits;        ///< rank 0's, where asked for: one row per sample, in the order of the data

  /// What the best checkpoint has most of: accuracy, or where there is none, little loss.
  double score() const { return accuracy ? accuracy->top1 : -loss; }
};

/// Runs every sample once: each rank takes a range of them. All ranks get the same numbers. `done` is told the samples
/// that this rank has finished, and all of its samples.
Evaluation evaluate(const Session &session, const Dataset &dataset, bool keepLogits,
                    const std::function<void(int64_t, int64_t)> &done);

/// "97.50 % top 1 (351 of 360), 99.72 % top 5, loss 0.0834", or "loss 0.0834 (360 samples)".
std::string describe(const Evaluation &evaluation);

} // namespace partyline::runtime
