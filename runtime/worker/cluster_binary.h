//===- cluster_binary.h - a .party folder, as the worker sees it ----------===//
#pragma once

#include "runtime/communication/communicator.h"
#include "runtime/shared/manifest.h"
#include "runtime/step/arena.h"

#include <string>

namespace partyline::runtime {

struct ClusterBinary {
  std::string folder;
  Manifest manifest;
};

/// Reads and checks FOLDER/manifest.json.
ClusterBinary openClusterBinary(const std::string &folder);

/// Throws an Error naming the ranks whose manifest is not rank 0's. A rank that could read none sends an empty hash.
void compareManifests(Communicator &communicator, const std::string &hash);

/// The class of a rank: of its host; where the binary is for no hosts in particular, the only one.
const ManifestClass &classOfRank(const ClusterBinary &binary, int rank, int ranks);

/// Reads parameters.bin into the weight arena and checks its hash.
void loadParameters(const ClusterBinary &binary, const ManifestClass &deviceClass, Arena &arena);

} // namespace partyline::runtime
