//===- codegen/replace_folder.h - a folder that appears whole -------------===//
#pragma once

#include <filesystem>

namespace partyline::codegen {

/// A folder that is filled under a temporary name beside its place and then takes that place, with what stood there
/// before removed. Unless it is moved into place nothing is left of it.
class UnfinishedFolder {
public:
  explicit UnfinishedFolder(const std::filesystem::path &place);
  ~UnfinishedFolder();
  UnfinishedFolder(const UnfinishedFolder &) = delete;
  UnfinishedFolder &operator=(const UnfinishedFolder &) = delete;

  const std::filesystem::path &path() const { return temporary; }

  /// Gives the folder and its files their permissions (only the owner may write), makes them durable, and puts them in
  /// place: in one exchange where the file system can, else by two renames.
  void moveIntoPlace();

private:
  std::filesystem::path place, temporary;
};

} // namespace partyline::codegen
