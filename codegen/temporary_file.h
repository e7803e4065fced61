//===- codegen/temporary_file.h - a file for another program's eyes -------===//
#pragma once

#include "runtime/shared/error.h"

#include <filesystem>
#include <fstream>
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

} // namespace partyline::codegen
