//===- check.cpp - does a checkpoint belong to a model? -------------------===//
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/shared/error.h"

#include <algorithm>

namespace partyline::runtime {

/// Enough to see what is wrong; a model has hundreds of tensors.
static constexpr size_t kMostProblems = 5;

static std::string shown(const std::string &name, const std::string &slot) {
  return "'" + name + "'" + (slot.empty() ? "" : " (" + slot + ")");
}

void checkCheckpoint(const Checkpoint &checkpoint, const Manifest &manifest, const std::string &path) {
  if (checkpoint.modelHash != manifest.modelHash)
    throw inputError(path + ": is of another model: '" + checkpoint.modelName + "' (hash " + checkpoint.modelHash +
                     "), not '" + manifest.modelName + "' (hash " + manifest.modelHash +
                     "): use the .party it was trained with, or another checkpoint folder");

  std::map<std::pair<std::string, std::string>, const std::vector<int64_t> *> found;
  std::vector<std::string> problems;
  for (const CheckpointTensor &tensor : checkpoint.tensors)
    if (!found.emplace(std::pair(tensor.name, tensor.slot), &tensor.shape).second)
      problems.push_back(shown(tensor.name, tensor.slot) + " is there twice");
  auto expect = [&](const ManifestTensor &tensor, const std::string &slot) {
    auto entry = found.find({tensor.name, slot});
    if (entry == found.end()) {
      problems.push_back(shown(tensor.name, slot) + " is missing");
      return;
    }
    if (*entry->second != tensor.shape)
      problems.push_back(shown(tensor.name, slot) + " has another shape");
    found.erase(entry);
  };
  for (const ManifestTensor &tensor : manifest.tensors) {
    if (tensor.kind == TensorKind::constant)
      continue;
    expect(tensor, "");
    if (tensor.kind == TensorKind::parameter)
      for (const std::string &slot : manifest.optimizerSlots)
        expect(tensor, slot);
  }
  for (const auto &[key, shape] : found)
    problems.push_back(shown(key.first, key.second) + " is not in the model");
  if (problems.empty())
    return;

  std::string text = path + ": does not fit the model (was it compiled with another optimizer or other frozen "
                            "parameters?):";
  for (size_t i = 0; i < std::min(problems.size(), kMostProblems); ++i)
    text += (i ? ", " : " ") + problems[i];
  if (problems.size() > kMostProblems)
    text += " and " + std::to_string(problems.size() - kMostProblems) + " more";
  throw inputError(text);
}

} // namespace partyline::runtime
