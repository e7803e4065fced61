//===- checkpoints.h - a run's checkpoints, all ranks together ------------===//
#pragma once

#include "runtime/worker/evaluate.h"
#include "runtime/worker/schedule.h"
#include "runtime/worker/session.h"

#include <limits>
#include <optional>

namespace partyline::runtime {

/// What of a run besides the weights goes into a checkpoint.
struct RunState {
  Cursor cursor;
  int64_t seed = 0;
  double bestScore = -std::numeric_limits<double>::infinity(); ///< of the evaluations until now
  double learningRate = 0;                                     ///< of the last step; 0: not known
};

/// Rank 0 writes a checkpoint to `folder`, marks it as the best where `isBest`, and removes old ones.
void saveCheckpoint(const Session &session, const std::string &folder, const RunState &state,
                    const std::optional<Evaluation> &evaluation, bool isBest);

/// A new run would prune what an earlier one left in `folder`: an Error on all ranks where rank 0 finds a checkpoint.
void requireNoCheckpoint(const Session &session, const std::string &folder);

/// Rank 0 reads the newest checkpoint of `folder` and all ranks get it. False where there is none.
bool resumeRun(const Session &session, const std::string &folder, RunState &state);

/// The same for evaluation: the best of a folder, or a file; none there is an Error.
void loadWeights(const Session &session, const std::string &path);

} // namespace partyline::runtime
