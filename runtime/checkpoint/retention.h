//===- retention.h - which checkpoints a folder keeps, which one is used --===//
//
// A run keeps its best and its last two checkpoints. best.ckpt is a hard link to a step-N.ckpt (a copy where the file
// system has no links), so pruning the step's own name does not lose it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/checkpoint/checkpoint.h"

#include <functional>
#include <optional>

namespace partyline::runtime {

enum class CheckpointChoice {
  latest, ///< to resume
  best,   ///< to evaluate or export: best.ckpt, else the latest
};

struct FoundCheckpoint {
  std::string path;
  Checkpoint checkpoint;
};

/// The checkpoint to use from `path`, a folder or one file. A damaged file in a folder is passed over for the next
/// older one, and `note` is told; none there at all (or no such folder): nullopt. Throws an Error where `path` is a
/// file that cannot be read, or where all of a folder's checkpoints are damaged.
std::optional<FoundCheckpoint> findCheckpoint(const std::string &path, CheckpointChoice choice,
                                              const std::function<void(const std::string &)> &note);

/// Whether `folder` is there and has a checkpoint in it, sound or not.
bool hasCheckpoint(const std::string &folder);

/// Makes FOLDER/best.ckpt the same as `checkpointPath`, a file in that folder.
void markBest(const std::string &folder, const std::string &checkpointPath);

/// Removes all step-N.ckpt but the last `keep`, and what interrupted writes left. best.ckpt stays.
void pruneCheckpoints(const std::string &folder, int64_t keep = 2);

} // namespace partyline::runtime
