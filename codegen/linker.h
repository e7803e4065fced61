//===- codegen/linker.h - objects -> step library -------------------------===//
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace partyline::codegen {

/// Links `objects` to the shared library `output` that exports kStepLibrarySymbol alone. The same objects in the same
/// order give the same bytes. Throws an Error with the linker's messages.
void linkStepLibrary(const std::vector<std::filesystem::path> &objects, const std::filesystem::path &output);

/// The undefined symbols in the dynamic symbol table of an ELF file, sorted.
std::vector<std::string> undefinedSymbols(const std::filesystem::path &library);

/// The symbols that an ELF file exports, sorted.
std::vector<std::string> exportedSymbols(const std::filesystem::path &library);

/// Throws an internal error if the library needs a symbol that is not in the worker's interface
/// (runtime/shared/worker_interface.h), or exports another one than kStepLibrarySymbol.
void checkStepLibrary(const std::filesystem::path &library);

} // namespace partyline::codegen
