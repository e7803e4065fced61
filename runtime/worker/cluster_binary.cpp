//===- cluster_binary.cpp -------------------------------------------------===//
#include "runtime/worker/cluster_binary.h"

#include "runtime/communication/collectives.h"
#include "runtime/shared/error.h"
#include "runtime/shared/file.h"
#include "runtime/shared/hash.h"
#include "runtime/shared/manifest_json.h"
#include "runtime/step/step_library.h"

namespace partyline::runtime {

ClusterBinary openClusterBinary(const std::string &folder) {
  const std::string path = folder + "/manifest.json";
  // Whoever may write the manifest may put the hash of another library into it.
  checkOnlyOwnerWrites(path);
  return {folder, readManifest(path)};
}

void compareManifests(Communicator &communicator, const std::string &hash) {
  const std::vector<std::string> hashes = gatherStrings(communicator, hash);
  std::string different;
  for (size_t rank = 1; rank < hashes.size(); ++rank)
    if (hashes[rank] != hashes[0])
      different += (different.empty() ? "" : ", ") + communicator.describe(int(rank));
  if (!different.empty())
    throw inputError("the manifest.json of " + different + " differs from that of " + communicator.describe(0) +
                     "; deploy the cluster binary again");
}

const ManifestClass &classOfRank(const ClusterBinary &binary, int rank, int ranks) {
  const Manifest &manifest = binary.manifest;
  if (manifest.hosts.empty())
    return manifest.classes.front();
  if (size_t(ranks) > manifest.hosts.size())
    throw inputError(binary.folder + ": was compiled for " + std::to_string(manifest.hosts.size()) +
                     " hosts, this job has " + std::to_string(ranks) + " ranks");
  const std::string &device = manifest.hosts[size_t(rank)].device;
  for (const ManifestClass &deviceClass : manifest.classes)
    if (deviceClass.name == device)
      return deviceClass;
  throw inputError(binary.folder + ": has no class '" + device + "'");
}

void loadParameters(const ClusterBinary &binary, const ManifestClass &deviceClass, Arena &arena) {
  const InputFile file(binary.folder + "/parameters.bin");
  const int64_t bytes = binary.manifest.weightElements * int64_t(sizeof(float));
  if (file.size() != bytes)
    throw inputError(file.path() + ": has " + std::to_string(file.size()) + " bytes, the manifest says " +
                     std::to_string(bytes) + "; compile or deploy it again");
  float *weights = arena.at<float>(deviceClass.weightsOffset);
  file.readAt(0, weights, size_t(bytes));
  if (hashBytes(weights, size_t(bytes)) != binary.manifest.parametersHash)
    throw inputError(file.path() + ": its hash differs from the manifest's; compile or deploy it again");
}

} // namespace partyline::runtime
