//===- codegen/kernel_cache.h - kernel objects on disk --------------------===//
//
// A folder of objects for one generator and one target. An entry is an object with a seal behind it: the hash of what
// stands before. It appears by a rename, so that several compilers may share the folder; an entry whose seal is wrong
// or missing (a full disk, a truncated copy) counts as absent.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <filesystem>
#include <string>

namespace partyline::codegen {

class KernelCache {
public:
  /// The folder for what `generator` makes for `target` below `root`, made if it is not there.
  KernelCache(const std::filesystem::path &root, const std::filesystem::path &generator, const std::string &target);

  std::filesystem::path entry(const std::string &symbol) const { return folder / (symbol + ".o"); }
  bool holds(const std::string &symbol) const;

  /// Seals the object `made` and moves it in. `made` must lie in a ScratchFolder of this cache.
  void add(const std::string &symbol, const std::filesystem::path &made) const;

  /// A folder for unfinished objects on the cache's file system, removed with what is in it.
  class ScratchFolder {
  public:
    explicit ScratchFolder(const KernelCache &cache);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder &) = delete;
    ScratchFolder &operator=(const ScratchFolder &) = delete;
    std::filesystem::path path;
  };

private:
  std::filesystem::path folder;
};

} // namespace partyline::codegen
