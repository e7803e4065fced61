//===- step_library.h - loading a step library ----------------------------===//
#pragma once

#include "runtime/shared/manifest.h"
#include "runtime/shared/step_abi.h"

#include <string>

namespace partyline::runtime {

/// Throws an Error where others than the owner may write a file, or where the owner is neither this user nor root: a
/// cluster binary is code.
void checkOnlyOwnerWrites(const std::string &path);

/// A step library that was checked and loaded; unloaded with the object.
class LoadedStepLibrary {
public:
  /// Checks who may write the file, its hash, the ABI version, the plan's hash and the tables against the manifest.
  LoadedStepLibrary(const std::string &path, const Manifest &manifest, const ManifestClass &deviceClass);
  ~LoadedStepLibrary();
  LoadedStepLibrary(const LoadedStepLibrary &) = delete;
  LoadedStepLibrary &operator=(const LoadedStepLibrary &) = delete;

  const StepLibrary &tables() const { return *library; }

private:
  void *handle = nullptr;
  const StepLibrary *library = nullptr;
};

/// The part of the check that needs no file. `path` is for messages.
void checkStepLibrary(const StepLibrary &library, const Manifest &manifest, const ManifestClass &deviceClass,
                      const std::string &path);

} // namespace partyline::runtime
