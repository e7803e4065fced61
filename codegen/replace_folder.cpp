//===- codegen/replace_folder.cpp - a folder that appears whole -----------===//

#include "codegen/replace_folder.h"

#include "runtime/shared/error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace partyline::codegen {
namespace {

Error fileError(const fs::path &path, const std::string &what) {
  return runError(path.string() + ": " + what + ": " + std::strerror(errno));
}

/// A name beside `place` that nothing has; the folder is there and empty.
fs::path makeFolderBeside(const fs::path &place) {
  std::string name = place.parent_path() / ".";
  name += place.filename().string() + ".XXXXXX";
  if (!mkdtemp(name.data()))
    throw fileError(place, "cannot make a folder beside it");
  return name;
}

void synchronise(const fs::path &path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = descriptor >= 0 && fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0)
    close(descriptor);
  errno = error;
  if (!done && error != EINVAL) // a file system that cannot synchronise folders says EINVAL
    throw fileError(path, "cannot be written to disk");
}

void setMode(const fs::path &path, mode_t mode) {
  if (chmod(path.c_str(), mode) != 0)
    throw fileError(path, "cannot set its permissions");
}

} // namespace

UnfinishedFolder::UnfinishedFolder(const fs::path &place) : place(place), temporary(makeFolderBeside(place)) {}

UnfinishedFolder::~UnfinishedFolder() {
  std::error_code ignored;
  fs::remove_all(temporary, ignored);
}

void UnfinishedFolder::moveIntoPlace() {
  for (const fs::directory_entry &entry : fs::directory_iterator(temporary)) {
    setMode(entry.path(), 0644);
    synchronise(entry.path());
  }
  setMode(temporary, 0755);
  synchronise(temporary);

  // A plain rename takes a free place or that of an empty folder.
  if (rename(temporary.c_str(), place.c_str()) != 0) {
    if (errno != ENOTEMPTY && errno != EEXIST)
      throw fileError(place, "cannot be put into place");
    // After the exchange the destructor removes the old one under the temporary name.
    if (renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) != 0) {
      const UnfinishedFolder old(place);
      if (rename(place.c_str(), old.path().c_str()) != 0)
        throw fileError(place, "cannot be moved aside");
      if (rename(temporary.c_str(), place.c_str()) != 0) {
        const int error = errno;
        rename(old.path().c_str(), place.c_str());
        errno = error;
        throw fileError(place, "cannot be put into place");
      }
    }
  }
  synchronise(place.parent_path());
}

} // namespace partyline::codegen
