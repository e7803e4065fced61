//===- codegen/party_writer.cpp - writes a cluster binary -----------------===//

#include "codegen/party_writer.h"

#include "codegen/replace_folder.h"
#include "runtime/shared/error.h"
#include "runtime/shared/file.h"
#include "runtime/shared/hash.h"
#include "runtime/shared/layout.h"
#include "runtime/shared/manifest_check.h"
#include "runtime/shared/manifest_json.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

namespace fs = std::filesystem;

namespace partyline::codegen {
namespace {

constexpr const char *kManifestFile = "manifest.json";

void writeText(const fs::path &path, const std::string &text) {
  AtomicFile file(path.string());
  file.write(text.data(), text.size());
  file.commit();
}

/// The weight arena's initial content: every tensor at its offset in its layout, zeros between them.
void writeParameters(const PartyContents &contents, const fs::path &path) {
  std::vector<const ManifestTensor *> tensors;
  for (const ManifestTensor &tensor : contents.manifest.tensors)
    tensors.push_back(&tensor);
  std::sort(tensors.begin(), tensors.end(), [](auto *a, auto *b) { return a->offset < b->offset; });

  AtomicFile file(path.string());
  int64_t written = 0;
  auto fillTo = [&](int64_t offset) {
    if (offset < written)
      throw runError("internal error: tensors overlap in the weight arena");
    const std::vector<float> zeros(offset - written);
    file.write(zeros.data(), zeros.size() * sizeof(float));
    written = offset;
  };
  std::vector<float> stored;
  for (const ManifestTensor *tensor : tensors) {
    auto values = contents.parameters.find(tensor->name);
    if (values == contents.parameters.end())
      throw runError("internal error: tensor '" + tensor->name + "' has no initial value");
    checkLayout(tensor->name, tensor->shape, tensor->layout);
    const int64_t elements = elementCount(tensor->shape);
    if (static_cast<int64_t>(values->second.size()) != elements || tensor->elements != elements)
      throw runError("internal error: tensor '" + tensor->name + "' has " + std::to_string(values->second.size()) +
                     " initial values for " + std::to_string(tensor->elements) + " elements");
    stored.resize(elements);
    storeInLayout(values->second.data(), tensor->shape, tensor->layout, stored.data());
    fillTo(tensor->offset);
    file.write(stored.data(), stored.size() * sizeof(float));
    written += elements;
  }
  fillTo(contents.manifest.weightElements);
  file.commit();
}

/// step-CLASS.so, with what does not belong into a file name replaced, different from all in `taken`.
std::string libraryName(const std::string &className, std::set<std::string> &taken) {
  std::string stem = "step-" + className;
  for (char &c : stem)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.')
      c = '_';
  std::string name = stem + ".so";
  for (int i = 2; !taken.insert(name).second; ++i)
    name = stem + "-" + std::to_string(i) + ".so";
  return name;
}

void copyLibraries(const PartyContents &contents, const fs::path &folder, Manifest &manifest) {
  std::set<std::string> taken;
  for (ManifestClass &deviceClass : manifest.classes) {
    auto library = contents.libraries.find(deviceClass.name);
    if (library == contents.libraries.end())
      throw runError("internal error: device class '" + deviceClass.name + "' has no step library");
    std::string bytes;
    readWholeFile(library->second.string(), std::numeric_limits<int64_t>::max(), bytes);
    deviceClass.library = libraryName(deviceClass.name, taken);
    deviceClass.hash = hashBytes(bytes.data(), bytes.size());
    writeText(folder / deviceClass.library, bytes);
  }
}

void checkDestination(const fs::path &destination) {
  std::error_code error;
  const fs::path parent = destination.parent_path();
  if (!fs::is_directory(parent, error))
    throw inputError(destination.string() + ": there is no folder " + parent.string() + " to write it to");
  const fs::file_status status = fs::symlink_status(destination, error);
  if (!fs::exists(status))
    return;
  const bool replaceable =
      fs::is_directory(status) && (fs::exists(destination / kManifestFile, error) || fs::is_empty(destination, error));
  if (!replaceable)
    throw inputError(destination.string() + ": is there already and is no cluster binary; remove it or choose another "
                                            "name");
}

} // namespace

std::string writeParty(const PartyContents &contents, const fs::path &destination) {
  fs::path place = fs::absolute(destination).lexically_normal();
  if (!place.has_filename()) // NAME.party/
    place = place.parent_path();
  checkDestination(place);

  UnfinishedFolder unfinished(place);
  const fs::path &folder = unfinished.path();
  Manifest manifest = contents.manifest;
  contents.writeModel(folder / "model.onnx");
  manifest.modelHash = hashFile((folder / "model.onnx").string());
  writeParameters(contents, folder / "parameters.bin");
  manifest.parametersHash = hashFile((folder / "parameters.bin").string());
  copyLibraries(contents, folder, manifest);
  if (!contents.clusterYaml.empty())
    writeText(folder / "cluster.yaml", contents.clusterYaml);
  writeText(folder / "plan.json", contents.planJson);
  manifest.hash = manifestHash(manifest);
  try {
    checkManifest(manifest, kManifestFile);
  } catch (const Error &error) {
    throw runError(std::string("internal error: no worker would take it: ") + error.what());
  }
  writeText(folder / kManifestFile, manifestToJson(manifest));
  unfinished.moveIntoPlace();
  return manifest.hash;
}

} // namespace partyline::codegen
