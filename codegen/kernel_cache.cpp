//===- codegen/kernel_cache.cpp - kernel objects on disk ------------------===//

#include "codegen/kernel_cache.h"

#include "runtime/shared/error.h"
#include "runtime/shared/hash.h"

#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace fs = std::filesystem;

namespace partyline::codegen {
namespace {

constexpr llvm::StringLiteral kScratchPrefix = "unfinished-";

/// What follows an object in the cache. Linkers find their way by the object's own header and never see it.
std::string sealOf(llvm::StringRef object) { return "\npartyline " + hashBytes(object.data(), object.size()) + "\n"; }

std::unique_ptr<llvm::MemoryBuffer> readFile(const fs::path &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path.string(), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? std::move(*buffer) : nullptr;
}

/// Whether `bytes` is an object that defines `symbol`.
bool defines(llvm::StringRef bytes, const std::string &symbol) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, symbol));
  if (!object) {
    llvm::consumeError(object.takeError());
    return false;
  }
  for (llvm::object::SymbolRef candidate : (*object)->symbols()) {
    llvm::Expected<llvm::StringRef> name = candidate.getName();
    llvm::Expected<uint32_t> flags = candidate.getFlags();
    if (name && flags && *name == symbol && !(*flags & llvm::object::SymbolRef::SF_Undefined))
      return true;
    llvm::consumeError(name.takeError());
    llvm::consumeError(flags.takeError());
  }
  return false;
}

/// Removes what a killed compiler left more than a day ago.
void removeStaleScratch(const fs::path &folder) {
  std::error_code ignored;
  const auto limit = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, ignored))
    if (llvm::StringRef(entry.path().filename().string()).starts_with(kScratchPrefix) &&
        entry.last_write_time(ignored) < limit)
      fs::remove_all(entry.path(), ignored);
}

} // namespace

KernelCache::KernelCache(const fs::path &root, const fs::path &generator, const std::string &target) {
  const std::string key = hashFile(generator.string()) + " " + target;
  folder = root / "kernels" / hashBytes(key.data(), key.size());
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw runError("cannot make the kernel cache " + folder.string() + ": " + error.message() +
                   "; set PARTYLINE_CACHE to a folder that can be written");
}

bool KernelCache::holds(const std::string &symbol) const {
  std::unique_ptr<llvm::MemoryBuffer> buffer = readFile(entry(symbol));
  if (!buffer)
    return false;
  llvm::StringRef bytes = buffer->getBuffer();
  const size_t sealSize = sealOf("").size();
  return bytes.size() > sealSize && bytes.take_back(sealSize) == sealOf(bytes.drop_back(sealSize));
}

void KernelCache::add(const std::string &symbol, const fs::path &made) const {
  std::unique_ptr<llvm::MemoryBuffer> buffer = readFile(made);
  if (!buffer || !defines(buffer->getBuffer(), symbol))
    throw runError("internal error: partyline-kernelgen made no object that defines " + symbol);
  std::ofstream out(made, std::ios::binary | std::ios::app);
  out << sealOf(buffer->getBuffer());
  out.close();
  std::error_code error;
  if (out)
    fs::rename(made, entry(symbol), error);
  if (!out || error)
    throw runError("cannot write to the kernel cache " + folder.string() + ": " +
                   (error ? error.message() : std::strerror(errno)));
}

KernelCache::ScratchFolder::ScratchFolder(const KernelCache &cache) {
  removeStaleScratch(cache.folder);
  std::string name = (cache.folder / (kScratchPrefix.str() + "XXXXXX")).string();
  if (!mkdtemp(name.data()))
    throw runError("cannot write to the kernel cache " + cache.folder.string() + ": " + std::strerror(errno) +
                   "; set PARTYLINE_CACHE to a folder that can be written");
  path = name;
}

KernelCache::ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

} // namespace partyline::codegen
