//===- weights.h - the weights in the arena, all ranks' and on disk -------===//
#pragma once

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/communication/communicator.h"
#include "runtime/shared/manifest.h"
#include "runtime/step/arena.h"

namespace partyline::runtime {

/// Parameters, state and optimizer slots in ONNX order. The run's counters are the caller's to fill in.
Checkpoint takeCheckpoint(const Manifest &manifest, const ManifestClass &deviceClass, const Arena &arena);

/// The inverse. Throws an Error where the checkpoint is of another model; `path` is for messages.
void restoreCheckpoint(const Checkpoint &checkpoint, const std::string &path, const Manifest &manifest,
                       const ManifestClass &deviceClass, Arena &arena);

/// Gives all ranks rank 0's parameters, state and optimizer slots.
void broadcastWeights(Communicator &communicator, const Manifest &manifest, const ManifestClass &deviceClass,
                      Arena &arena);

/// Throws an Error naming the ranks whose parameters and state are not those of most ranks.
void compareWeights(Communicator &communicator, const Manifest &manifest, const ManifestClass &deviceClass,
                    const Arena &arena, int64_t step);

} // namespace partyline::runtime
