//===- test_support.h - folders, compilers and step libraries for tests ---===//
#pragma once

#include "codegen/step_program.h"
#include "codegen/temporary_file.h"
#include "runtime/shared/step_abi.h"

#include <filesystem>
#include <string>

namespace partyline::codegen {

/// An environment variable that gets its old value back.
class Variable {
public:
  Variable(const char *name, const std::string &value);
  ~Variable();

private:
  const char *name;
  bool wasSet;
  std::string old;
};

/// Runs a shell command; a test failure where it ends with another status than 0.
void runShell(const std::string &command);

std::string readFile(const std::filesystem::path &path);
void writeFile(const std::filesystem::path &path, const std::string &content);

/// Compiles C source to an object. `compiler` with its options.
std::filesystem::path compileC(const std::string &compiler, const std::string &source,
                               const std::filesystem::path &object);

/// A step library loaded into this process, as the worker does.
class LoadedLibrary {
public:
  explicit LoadedLibrary(const std::filesystem::path &path);
  ~LoadedLibrary();
  const StepLibrary *operator->() const { return library; }
  explicit operator bool() const { return library != nullptr; }
  void *symbol(const char *name) const;

private:
  void *handle = nullptr;
  const StepLibrary *library = nullptr;
};

/// A dimension of `perSample` elements per sample, or of a fixed number.
inline BufferDimension batchDimension(int64_t perSample, int64_t stride) { return {perSample, 0, stride, false}; }
inline BufferDimension fixedDimension(int64_t extent, int64_t stride) { return {0, extent, stride, false}; }

} // namespace partyline::codegen
