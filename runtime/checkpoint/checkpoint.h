//===- checkpoint.h - the state of a training run in one file -------------===//
//
// FOLDER/step-00000123.ckpt. Tensors go by their ONNX names and in ONNX layout, so a checkpoint resumes on any number
// of ranks and any device class. The file (all numbers little-endian):
//   "PARTYCKP", uint32 version, uint32 0, uint64 bytes of the header
//   the header: JSON, see checkpoint.cpp
//   the tensors' float32 values, one after the other
//   xxh3-128 of all of the above, 16 bytes, canonical (big-endian)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/shared/manifest.h"

#include <map>

namespace partyline::runtime {

struct CheckpointTensor {
  std::string name; ///< the ONNX name
  std::string slot; ///< empty: the value of a parameter or of state; else an optimizer slot of it: "momentum"
  std::vector<int64_t> shape;
  std::vector<float> values; ///< in ONNX order
};

struct Checkpoint {
  std::string modelHash, modelName; ///< of the manifest
  int64_t step = 0;                 ///< steps done
  int64_t epoch = 0;                ///< the epoch that goes on, counted from 0
  int64_t position = 0;             ///< samples of that epoch already used
  int64_t seed = 0;
  std::map<std::string, double> metrics; ///< "top1", "loss", ...; whatever the run wants to know when it resumes
  std::vector<CheckpointTensor> tensors;
};

/// "step-00000123.ckpt".
std::string checkpointFileName(int64_t step);

/// Writes FOLDER/step-N.ckpt beside and renames it; makes the folder where there is none. Returns the path.
std::string writeCheckpoint(const std::string &folder, const Checkpoint &checkpoint);

/// Reads and checks a whole file. Throws an Error that names the file and says what to do.
Checkpoint readCheckpoint(const std::string &path);

/// Throws an Error unless the checkpoint belongs to the manifest's model: same model hash, and a value of the right
/// shape for every parameter, state and optimizer slot, and none besides. `path` is for the message.
void checkCheckpoint(const Checkpoint &checkpoint, const Manifest &manifest,
                     const std::string &path = "the checkpoint");

} // namespace partyline::runtime
