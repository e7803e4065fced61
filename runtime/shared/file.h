//===- file.h - reading at an offset, writing beside and renaming ---------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace partyline {

/// A regular file open for reading. Reading does not move anything: any number of threads may read at once.
class InputFile {
public:
  /// Throws an Error naming the file where it cannot be opened or is no regular file.
  explicit InputFile(const std::string &path);
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  const std::string &path() const { return filePath; }
  int64_t size() const { return fileSize; }

  /// Reads exactly `bytes` bytes; fewer there is an Error.
  void readAt(int64_t offset, void *to, size_t bytes) const;

private:
  std::string filePath;
  int64_t fileSize = 0;
  int descriptor = -1;
};

/// The bytes of a file, into `to`. Throws an Error naming the file where it is larger than `limit` bytes.
void readWholeFile(const std::string &path, int64_t limit, std::string &to);

/// A file that appears under its name only when all of it is on disk: written to NAME.tmp, synchronised, renamed.
/// Without commit() nothing is left.
class AtomicFile {
public:
  static constexpr const char *kTemporarySuffix = ".tmp";

  explicit AtomicFile(const std::string &path);
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  void write(const void *from, size_t bytes);
  void commit();

private:
  [[noreturn]] void fail(const std::string &what);
  std::string filePath, temporaryPath;
  int descriptor = -1;
};

} // namespace partyline
