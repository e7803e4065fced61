//===- codegen/linker.cpp - objects -> step library -----------------------===//

#include "codegen/linker.h"

#include "codegen/subprocess.h"
#include "codegen/temporary_file.h"
#include "runtime/shared/error.h"
#include "runtime/shared/step_abi.h"
#include "runtime/shared/worker_interface.h"

#include "lld/Common/Driver.h"
#include "llvm/Object/ELFObjectFile.h"

#include <algorithm>

LLD_HAS_DRIVER(elf)

namespace fs = std::filesystem;

namespace partyline::codegen {
namespace {

/// The names in the dynamic symbol table that are undefined, or that are not.
std::vector<std::string> dynamicSymbols(const fs::path &library, bool undefined) {
  auto fail = [&](llvm::Error error) { return runError(library.string() + ": " + llvm::toString(std::move(error))); };
  auto binary = llvm::object::ObjectFile::createObjectFile(library.string());
  if (!binary)
    throw fail(binary.takeError());
  const auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(binary->getBinary());
  if (!elf)
    throw runError(library.string() + ": is no ELF file");
  std::vector<std::string> names;
  for (llvm::object::SymbolRef symbol : elf->getDynamicSymbolIterators()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      throw fail(flags.takeError());
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      throw fail(name.takeError());
    if (!name->empty() && bool(*flags & llvm::object::SymbolRef::SF_Undefined) == undefined)
      names.push_back(name->str());
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

void linkStepLibrary(const std::vector<fs::path> &objects, const fs::path &output) {
  const TemporaryFile versions(output.string() + ".version",
                               std::string("{ global: ") + kStepLibrarySymbol + "; local: *; };\n");
  // Android's loader wants segments aligned to 16 KiB pages and GNU hashes; old ones know SysV hashes only.
  std::vector<std::string> arguments = {"ld.lld",
                                        "-shared",
                                        "--threads=1",
                                        "-z",
                                        "max-page-size=16384",
                                        "-z",
                                        "noexecstack",
                                        "-z",
                                        "now",
                                        "--hash-style=both",
                                        "--build-id=none",
                                        "--fatal-warnings",
                                        "--version-script=" + versions.path.string(),
                                        "-o",
                                        output.string()};
  for (const fs::path &object : objects)
    arguments.push_back(object.string());
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());

  // lld 19 keeps pointers into a finished link in globals (ElfSym), so that a second one in the same process writes to
  // freed memory: every link gets a process of its own.
  const ProcessResult result = runInChild([&](std::string &messages) {
    llvm::raw_string_ostream out(messages);
    return lld::lldMain(pointers, out, out, {{lld::Gnu, &lld::elf::link}}).retCode;
  });
  if (result.status != 0)
    throw runError(output.string() + ": cannot be linked (status " + std::to_string(result.status) + "):\n" +
                   llvm::StringRef(result.errors).rtrim().str());
}

std::vector<std::string> undefinedSymbols(const fs::path &library) { return dynamicSymbols(library, true); }

std::vector<std::string> exportedSymbols(const fs::path &library) { return dynamicSymbols(library, false); }

void checkStepLibrary(const fs::path &library) {
  std::string others;
  for (const std::string &symbol : undefinedSymbols(library))
    if (!inWorkerInterface(symbol))
      others += " " + symbol;
  if (!others.empty())
    throw runError("internal error: " + library.string() + " needs symbols that no worker has:" + others);
  if (exportedSymbols(library) != std::vector<std::string>{kStepLibrarySymbol})
    throw runError("internal error: " + library.string() + " does not export exactly " + kStepLibrarySymbol);
}

} // namespace partyline::codegen
