//===- session.h - what a rank works with ---------------------------------===//
#pragma once

#include "runtime/communication/communicator.h"
#include "runtime/shared/manifest.h"
#include "runtime/step/arena.h"
#include "runtime/step/step_loop.h"
#include "runtime/worker/batch_reader.h"

namespace partyline::runtime {

/// Everything is ready: the library is loaded, the weights are in the arena.
struct Session {
  Communicator &communicator; ///< of the main thread
  const Manifest &manifest;
  const ManifestClass &deviceClass;
  Arena &arena;
  StepLoop &steps;
  BatchReader &reader;

  bool isFirst() const { return communicator.rank() == 0; }
};

} // namespace partyline::runtime
