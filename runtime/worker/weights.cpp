//===- weights.cpp --------------------------------------------------------===//
#include "runtime/worker/weights.h"

#include "runtime/communication/collectives.h"
#include "runtime/shared/error.h"
#include "runtime/shared/hash.h"
#include "runtime/shared/layout.h"

#include <map>

namespace partyline::runtime {

namespace {
/// Calls body(tensor, slot name, place in the arena) for everything that a checkpoint holds.
template <typename Body>
void forEachTensor(const Manifest &manifest, const ManifestClass &deviceClass, const Arena &arena, Body body) {
  for (const ManifestTensor &tensor : manifest.tensors)
    if (tensor.kind != TensorKind::constant)
      body(tensor, std::string(), arena.at<float>(deviceClass.weightsOffset) + tensor.offset);
  for (size_t slot = 0; slot < manifest.optimizerSlots.size(); ++slot)
    for (const ManifestTensor &tensor : manifest.tensors)
      if (tensor.kind == TensorKind::parameter)
        body(tensor, manifest.optimizerSlots[slot],
             arena.at<float>(deviceClass.optimizerOffsets[slot]) + tensor.offset);
}
} // namespace

Checkpoint takeCheckpoint(const Manifest &manifest, const ManifestClass &deviceClass, const Arena &arena) {
  Checkpoint checkpoint;
  checkpoint.modelHash = manifest.modelHash;
  checkpoint.modelName = manifest.modelName;
  forEachTensor(manifest, deviceClass, arena,
                [&](const ManifestTensor &tensor, const std::string &slot, const float *values) {
                  CheckpointTensor copy{tensor.name, slot, tensor.shape, std::vector<float>(size_t(tensor.elements))};
                  loadFromLayout(values, tensor.shape, tensor.layout, copy.values.data());
                  checkpoint.tensors.push_back(std::move(copy));
                });
  return checkpoint;
}

void restoreCheckpoint(const Checkpoint &checkpoint, const std::string &path, const Manifest &manifest,
                       const ManifestClass &deviceClass, Arena &arena) {
  checkCheckpoint(checkpoint, manifest, path);
  std::map<std::pair<std::string, std::string>, const CheckpointTensor *> byName;
  for (const CheckpointTensor &tensor : checkpoint.tensors)
    byName[{tensor.name, tensor.slot}] = &tensor;
  forEachTensor(manifest, deviceClass, arena,
                [&](const ManifestTensor &tensor, const std::string &slot, float *values) {
                  const CheckpointTensor &saved = *byName.at({tensor.name, slot});
                  storeInLayout(saved.values.data(), tensor.shape, tensor.layout, values);
                });
}

void broadcastWeights(Communicator &communicator, const Manifest &manifest, const ManifestClass &deviceClass,
                      Arena &arena) {
  const size_t bytes = size_t(manifest.gradientElements) * sizeof(float);
  broadcast(communicator, arena.at<float>(deviceClass.weightsOffset), bytes);
  for (int64_t offset : deviceClass.optimizerOffsets)
    broadcast(communicator, arena.at<float>(offset), bytes);
}

void compareWeights(Communicator &communicator, const Manifest &manifest, const ManifestClass &deviceClass,
                    const Arena &arena, int64_t step) {
  unsigned char own[kBinaryHashBytes];
  hashBytesBinary(arena.at<float>(deviceClass.weightsOffset), size_t(manifest.gradientElements) * sizeof(float), own);
  const std::vector<char> all = gather(communicator, own, sizeof own);
  std::vector<std::string> hashes;
  std::map<std::string, int> ranksWith;
  for (size_t at = 0; at < all.size(); at += kBinaryHashBytes) {
    hashes.emplace_back(all.data() + at, kBinaryHashBytes);
    ++ranksWith[hashes.back()];
  }
  if (ranksWith.size() <= 1)
    return;
  std::string most = hashes[0];
  for (const std::string &hash : hashes)
    if (ranksWith[hash] > ranksWith[most])
      most = hash;
  std::string different;
  for (size_t rank = 0; rank < hashes.size(); ++rank)
    if (hashes[rank] != most)
      different += (different.empty() ? "" : ", ") + communicator.describe(int(rank));
  throw runError("after step " + std::to_string(step) + " the weights of " + different +
                 " differ from those of the other ranks: bad memory, or a kernel that is not deterministic there; "
                 "resume from the last checkpoint without it");
}

} // namespace partyline::runtime
