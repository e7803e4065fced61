//===- codegen/party_writer.h - writes a cluster binary -------------------===//
#pragma once

#include "runtime/shared/manifest.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace partyline::codegen {

/// What goes into NAME.party/.
struct PartyContents {
  /// Complete but for the hashes (its own, of the model, of the parameters) and each class's library and hash.
  Manifest manifest;
  /// Initial values of every tensor of the manifest by its ONNX name, in ONNX order.
  std::map<std::string, std::vector<float>> parameters;
  /// The linked step library of every class by the class's name.
  std::map<std::string, std::filesystem::path> libraries;
  /// Writes the user's model to the path it is given; other files it needs go beside it.
  std::function<void(const std::filesystem::path &)> writeModel;
  std::string clusterYaml; ///< no file if empty: the cluster is this machine
  std::string planJson;
};

/// Writes the folder under a temporary name beside `destination`, then renames it into place: whatever happens,
/// `destination` is the old cluster binary or the new one. Returns the manifest's hash. Throws inputError where
/// something that is no cluster binary has the name already.
std::string writeParty(const PartyContents &contents, const std::filesystem::path &destination);

} // namespace partyline::codegen
