//===- file.cpp -----------------------------------------------------------===//
#include "runtime/shared/file.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace partyline {

/// The kernel moves less than 2 GiB per call; asking for less than that keeps the loops simple.
static constexpr size_t kMostPerCall = size_t(1) << 30;

InputFile::InputFile(const std::string &path) : filePath(path) {
  // O_NONBLOCK: opening a pipe by mistake must not wait for a writer.
  descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    throw inputError(path + ": cannot be opened: " + std::strerror(errno));
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    throw inputError(path + ": is not a regular file");
  }
  fileSize = status.st_size;
}

InputFile::~InputFile() { close(descriptor); }

void InputFile::readAt(int64_t offset, void *to, size_t bytes) const {
  char *at = static_cast<char *>(to);
  while (bytes > 0) {
    ssize_t got = pread(descriptor, at, std::min(bytes, kMostPerCall), offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      throw runError(filePath + ": cannot be read: " + std::strerror(errno));
    if (got == 0)
      throw inputError(filePath + ": ends too early, at byte " + std::to_string(offset));
    at += got;
    offset += got;
    bytes -= got;
  }
}

void readWholeFile(const std::string &path, int64_t limit, std::string &to) {
  InputFile file(path);
  if (file.size() > limit)
    throw inputError(path + ": is " + std::to_string(file.size()) + " bytes long; at most " + std::to_string(limit) +
                     " are read");
  to.resize(file.size());
  file.readAt(0, to.data(), to.size());
}

AtomicFile::AtomicFile(const std::string &path) : filePath(path), temporaryPath(path + kTemporarySuffix) {
  descriptor = open(temporaryPath.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    throw runError(path + ": cannot be written: " + std::strerror(errno));
}

AtomicFile::~AtomicFile() {
  if (descriptor < 0)
    return;
  close(descriptor);
  unlink(temporaryPath.c_str());
}

void AtomicFile::fail(const std::string &what) { throw runError(filePath + ": " + what + ": " + std::strerror(errno)); }

void AtomicFile::write(const void *from, size_t bytes) {
  const char *at = static_cast<const char *>(from);
  while (bytes > 0) {
    ssize_t put = ::write(descriptor, at, std::min(bytes, kMostPerCall));
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      fail("cannot be written");
    at += put;
    bytes -= put;
  }
}

void AtomicFile::commit() {
  if (fsync(descriptor) != 0)
    fail("cannot be synchronised");
  if (rename(temporaryPath.c_str(), filePath.c_str()) != 0)
    fail("cannot be renamed from " + temporaryPath);
  close(descriptor);
  descriptor = -1;

  // The new name itself reaches the disk with its folder. Some file systems cannot synchronise folders: no error.
  size_t slash = filePath.rfind('/');
  std::string folder = slash == std::string::npos ? "." : filePath.substr(0, slash + 1);
  int folderDescriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folderDescriptor >= 0) {
    fsync(folderDescriptor);
    close(folderDescriptor);
  }
}

} // namespace partyline
