//===- checkpoints.cpp ----------------------------------------------------===//
#include "runtime/worker/checkpoints.h"

#include "runtime/checkpoint/retention.h"
#include "runtime/communication/collectives.h"
#include "runtime/shared/error.h"
#include "runtime/worker/agreement.h"
#include "runtime/worker/weights.h"

#include <cmath>
#include <cstdio>

namespace partyline::runtime {

static void tellUser(const std::string &note) { std::fprintf(stderr, "%s\n", note.c_str()); }

void saveCheckpoint(const Session &session, const std::string &folder, const RunState &state,
                    const std::optional<Evaluation> &evaluation, bool isBest) {
  if (!session.isFirst())
    return;
  Checkpoint checkpoint = takeCheckpoint(session.manifest, session.deviceClass, session.arena);
  checkpoint.step = state.cursor.step;
  checkpoint.epoch = state.cursor.epoch;
  checkpoint.position = state.cursor.position;
  checkpoint.seed = state.seed;
  if (std::isfinite(state.bestScore))
    checkpoint.metrics["bestScore"] = state.bestScore;
  checkpoint.metrics["learningRate"] = state.learningRate;
  if (evaluation)
    checkpoint.metrics["loss"] = evaluation->loss;
  if (evaluation && evaluation->accuracy)
    checkpoint.metrics.insert({{"top1", evaluation->accuracy->top1}, {"top5", evaluation->accuracy->top5}});
  const std::string path = writeCheckpoint(folder, checkpoint);
  if (isBest)
    markBest(folder, path);
  pruneCheckpoints(folder);
}

/// Rank 0 finds and restores; all agree that it worked, and get the weights.
static std::optional<RunState> restore(const Session &session, const std::string &path, CheckpointChoice choice) {
  struct {
    int32_t found = 0;
    RunState state;
  } message;
  agree(session.communicator, [&] {
    if (!session.isFirst())
      return;
    const std::optional<FoundCheckpoint> found = findCheckpoint(path, choice, tellUser);
    if (!found)
      return;
    const Checkpoint &checkpoint = found->checkpoint;
    restoreCheckpoint(checkpoint, found->path, session.manifest, session.deviceClass, session.arena);
    const auto metric = [&](const char *name, double otherwise) {
      const auto found = checkpoint.metrics.find(name);
      return found == checkpoint.metrics.end() ? otherwise : found->second;
    };
    message.found = 1;
    message.state = {{checkpoint.step, checkpoint.epoch, checkpoint.position},
                     checkpoint.seed,
                     metric("bestScore", RunState().bestScore),
                     metric("learningRate", 0)};
  });
  broadcast(session.communicator, &message, sizeof message);
  if (!message.found)
    return std::nullopt;
  broadcastWeights(session.communicator, session.manifest, session.deviceClass, session.arena);
  return message.state;
}

void requireNoCheckpoint(const Session &session, const std::string &folder) {
  agree(session.communicator, [&] {
    if (session.isFirst() && hasCheckpoint(folder))
      throw inputError(folder + ": has the checkpoints of an earlier run; add --resume to go on from them, or name " +
                       "another folder");
  });
}

bool resumeRun(const Session &session, const std::string &folder, RunState &state) {
  const std::optional<RunState> found = restore(session, folder, CheckpointChoice::latest);
  if (found)
    state = *found;
  return found.has_value();
}

void loadWeights(const Session &session, const std::string &path) {
  const bool found = restore(session, path, CheckpointChoice::best).has_value();
  agree(session.communicator, [&] {
    if (!found)
      throw inputError(path + ": there is no checkpoint here");
  });
}

} // namespace partyline::runtime
