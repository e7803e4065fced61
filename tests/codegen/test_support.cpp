//===- test_support.cpp ---------------------------------------------------===//
#include "test_support.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace partyline::codegen {

Variable::Variable(const char *name, const std::string &value) : name(name), wasSet(std::getenv(name) != nullptr) {
  if (wasSet)
    old = std::getenv(name);
  setenv(name, value.c_str(), 1);
}

Variable::~Variable() {
  if (wasSet)
    setenv(name, old.c_str(), 1);
  else
    unsetenv(name);
}

void runShell(const std::string &command) { EXPECT_EQ(std::system(command.c_str()), 0) << command; }

std::string readFile(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void writeFile(const fs::path &path, const std::string &content) {
  std::ofstream out(path, std::ios::binary);
  out << content;
  EXPECT_TRUE(out.good()) << path;
}

fs::path compileC(const std::string &compiler, const std::string &source, const fs::path &object) {
  const fs::path file = object.string() + ".c";
  writeFile(file, source);
  runShell(compiler + " -O1 -fPIC -c '" + file.string() + "' -o '" + object.string() + "'");
  return object;
}

LoadedLibrary::LoadedLibrary(const fs::path &path) : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  EXPECT_TRUE(handle) << dlerror();
  if (handle)
    library = static_cast<const StepLibrary *>(dlsym(handle, kStepLibrarySymbol));
  EXPECT_TRUE(library);
}

LoadedLibrary::~LoadedLibrary() {
  if (handle)
    dlclose(handle);
}

void *LoadedLibrary::symbol(const char *name) const { return dlsym(handle, name); }

} // namespace partyline::codegen
