//===- step_library.cpp ---------------------------------------------------===//
#include "runtime/step/step_library.h"

#include "runtime/shared/error.h"
#include "runtime/shared/hash.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

namespace partyline::runtime {

void checkOnlyOwnerWrites(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    throw inputError(path + ": " + std::strerror(errno));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw inputError(path + ": others than its owner may change it, and it is code; run: chmod go-w " + path);
  if (status.st_uid != geteuid() && status.st_uid != 0)
    throw inputError(path + ": belongs to another user, and it is code; make a copy of your own");
}

/// Compares a table of ops without running it: a null in it would only show in the middle of a step.
static void checkTable(const StepOp *ops, int64_t count, const std::string &name, const std::string &path) {
  if (count < 0 || (count > 0 && !ops))
    throw inputError(path + ": the table '" + name + "' is damaged; compile the cluster binary again");
  for (int64_t i = 0; i < count; ++i)
    if (!ops[i].run || !ops[i].name)
      throw inputError(path + ": the table '" + name + "' has an empty entry; compile the cluster binary again");
}

void checkStepLibrary(const StepLibrary &library, const Manifest &manifest, const ManifestClass &deviceClass,
                      const std::string &path) {
  if (library.abiVersion != kStepAbiVersion)
    throw inputError(path + ": is for version " + std::to_string(library.abiVersion) +
                     " of the step interface, this worker has version " + std::to_string(kStepAbiVersion) +
                     "; compile the cluster binary again with this version of partyline");
  if (!library.hash || deviceClass.planHash != library.hash)
    throw inputError(path + ": was emitted from another plan than manifest.json; compile the cluster binary again");
  checkTable(library.forwardBackward, library.forwardBackwardCount, "forwardBackward", path);
  checkTable(library.evaluate, library.evaluateCount, "evaluate", path);
  if (library.updateCount < 0 || (library.updateCount > 0 && !library.updates))
    throw inputError(path + ": the table 'updates' is damaged; compile the cluster binary again");
  for (int64_t i = 0; i < library.updateCount; ++i) {
    const StepUpdate &update = library.updates[i];
    checkTable(&update.op, 1, "updates", path);
    if (update.first < 0 || update.last < update.first || update.last > manifest.gradientElements)
      throw inputError(path + ": an update of '" + update.op.name + "' lies outside the gradients");
  }
  for (int64_t op : deviceClass.readyAfter)
    if (op >= library.forwardBackwardCount)
      throw inputError(path + ": has fewer ops than readyAfter in manifest.json names");
}

LoadedStepLibrary::LoadedStepLibrary(const std::string &path, const Manifest &manifest,
                                     const ManifestClass &deviceClass) {
  checkOnlyOwnerWrites(path);
  const std::string hash = hashFile(path);
  if (hash != deviceClass.hash)
    throw inputError(path + ": its hash is " + hash + ", manifest.json says " + deviceClass.hash +
                     ": the file was changed or is of another compilation; compile or deploy it again");
  // A bare file name would be looked for in the system's folders.
  char absolute[PATH_MAX];
  if (!realpath(path.c_str(), absolute))
    throw inputError(path + ": " + std::strerror(errno));
  handle = dlopen(absolute, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw runError(path + ": cannot be loaded on this machine: " + dlerror());
  library = static_cast<const StepLibrary *>(dlsym(handle, kStepLibrarySymbol));
  if (!library) {
    dlclose(handle);
    throw inputError(path + ": has no symbol " + kStepLibrarySymbol);
  }
  try {
    checkStepLibrary(*library, manifest, deviceClass, path);
  } catch (...) {
    dlclose(handle);
    throw;
  }
}

LoadedStepLibrary::~LoadedStepLibrary() { dlclose(handle); }

} // namespace partyline::runtime
