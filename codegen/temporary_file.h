//===- codegen/temporary_file.h - a file for another program's eyes -------===//
#pragma once

#include "runtime/shared/error.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace partyline::codegen {

/// A file with the given content that is gone with the object.
struct TemporaryFile {
  TemporaryFile(std::filesystem::path place, std::string_view content) : path(std::move(place)) {
    std::ofstream out(path, std::ios::binary);
    out << content;
    out.close();
    if (!out)
      throw runError(path.string() + ": cannot be written");
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  const std::filesystem::path path;
};

/// An empty folder in the system's place for such, gone with the object.
class TemporaryFolder {
public:
  explicit TemporaryFolder(const std::string &name) {
    std::string pattern = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
    if (!mkdtemp(pattern.data()))
      throw runError(pattern + ": the temporary folder cannot be made");
    folder = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::filesystem::path &path() const { return folder; }

private:
  std::filesystem::path folder;
};

} // namespace partyline::codegen
