//===- retention.cpp ------------------------------------------------------===//
#include "runtime/checkpoint/retention.h"

#include "runtime/shared/error.h"
#include "runtime/shared/file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace partyline::runtime {

namespace fs = std::filesystem;

static constexpr const char *kBestFile = "best.ckpt";
static constexpr const char *kSuffix = ".ckpt";

/// The step in "step-N.ckpt", if it is such a name.
static std::optional<int64_t> stepOf(const std::string &name) {
  constexpr size_t kPrefix = 5;
  if (!name.starts_with("step-") || !name.ends_with(kSuffix) || name.size() <= kPrefix + std::strlen(kSuffix))
    return {};
  int64_t step;
  const char *end = name.data() + name.size() - std::strlen(kSuffix);
  auto [at, error] = std::from_chars(name.data() + kPrefix, end, step);
  if (error != std::errc() || at != end || step < 0)
    return {};
  return step;
}

static std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  std::error_code code;
  fs::directory_iterator entry(folder, code), end;
  for (; !code && entry != end; entry.increment(code))
    names.push_back(entry->path().filename().native());
  if (code)
    throw inputError(folder + ": cannot be listed: " + code.message());
  return names;
}

/// The paths of step-N.ckpt, latest first.
static std::vector<std::string> checkpointsIn(const std::string &folder) {
  std::vector<std::pair<int64_t, std::string>> found;
  for (const std::string &name : namesIn(folder))
    if (std::optional<int64_t> step = stepOf(name))
      found.emplace_back(*step, folder + "/" + name);
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> paths;
  for (auto &[step, path] : found)
    paths.push_back(std::move(path));
  return paths;
}

std::optional<FoundCheckpoint> findCheckpoint(const std::string &path, CheckpointChoice choice,
                                              const std::function<void(const std::string &)> &note) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    return {};
  if (!fs::is_directory(path, ignored))
    return FoundCheckpoint{path, readCheckpoint(path)};

  std::vector<std::string> candidates = checkpointsIn(path);
  std::string best = path + "/" + kBestFile;
  if (fs::exists(best, ignored)) {
    // The best is also what is left to resume from when the last two are damaged.
    bool first = choice == CheckpointChoice::best;
    candidates.insert(first ? candidates.begin() : candidates.end(), best);
  }
  if (candidates.empty())
    return {};
  for (const std::string &candidate : candidates) {
    try {
      return FoundCheckpoint{candidate, readCheckpoint(candidate)};
    } catch (const Error &error) {
      note(std::string(error.what()) + "; passed over");
    }
  }
  throw inputError(path + ": none of its " + std::to_string(candidates.size()) +
                   " checkpoints can be read: start anew in another folder");
}

bool hasCheckpoint(const std::string &folder) {
  std::error_code ignored;
  return fs::is_directory(folder, ignored) &&
         (!checkpointsIn(folder).empty() || fs::exists(folder + "/" + kBestFile, ignored));
}

void markBest(const std::string &folder, const std::string &checkpointPath) {
  std::string best = folder + "/" + kBestFile, temporary = best + AtomicFile::kTemporarySuffix;
  unlink(temporary.c_str());
  if (link(checkpointPath.c_str(), temporary.c_str()) == 0) {
    if (rename(temporary.c_str(), best.c_str()) != 0)
      throw runError(best + ": cannot be written: " + std::strerror(errno));
    unlink(temporary.c_str()); // rename leaves it where both names were links to the same file already
    return;
  }
  InputFile from(checkpointPath);
  AtomicFile to(best);
  std::vector<char> piece(size_t(1) << 20);
  for (int64_t offset = 0; offset < from.size(); offset += piece.size()) {
    size_t bytes = std::min<int64_t>(piece.size(), from.size() - offset);
    from.readAt(offset, piece.data(), bytes);
    to.write(piece.data(), bytes);
  }
  to.commit();
}

void pruneCheckpoints(const std::string &folder, int64_t keep) {
  std::vector<std::string> paths = checkpointsIn(folder);
  for (size_t i = keep; i < paths.size(); ++i)
    unlink(paths[i].c_str());
  for (const std::string &name : namesIn(folder))
    if (name.ends_with(std::string(kSuffix) + AtomicFile::kTemporarySuffix))
      unlink((folder + "/" + name).c_str());
}

} // namespace partyline::runtime
