//===- agreement.cpp ------------------------------------------------------===//
#include "runtime/worker/agreement.h"

#include "runtime/communication/collectives.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace partyline::runtime {

/// "rank 1 (host a): MESSAGE"; "rank 1 (host a) and 2 more: MESSAGE"; MESSAGE alone where all say the same.
static std::string summary(const Communicator &communicator, const std::vector<std::string> &messages) {
  std::map<std::string, std::vector<int>> ranksOf;
  for (size_t rank = 0; rank < messages.size(); ++rank)
    if (!messages[rank].empty())
      ranksOf[messages[rank]].push_back(int(rank));
  std::vector<std::pair<std::vector<int>, std::string>> ordered;
  for (const auto &[message, ranks] : ranksOf)
    ordered.emplace_back(ranks, message);
  std::sort(ordered.begin(), ordered.end());

  std::string text;
  for (const auto &[ranks, message] : ordered) {
    if (!text.empty())
      text += "\n";
    if (ranks.size() < messages.size()) {
      text += communicator.describe(ranks.front());
      text += ranks.size() > 1 ? " and " + std::to_string(ranks.size() - 1) + " more: " : ": ";
    }
    text += message;
  }
  return text;
}

void agree(Communicator &communicator, const std::function<void()> &work) {
  std::string message;
  int32_t exitCode = kDone;
  try {
    work();
  } catch (const Error &error) {
    message = error.what();
    exitCode = error.exitCode;
  } catch (const std::exception &error) {
    message = error.what();
    exitCode = kFailed;
  }
  const std::vector<std::string> messages = gatherStrings(communicator, message);
  // Wrong input (2) outranks a failure (1) that it may have caused elsewhere.
  const std::vector<char> codes = gather(communicator, &exitCode, sizeof exitCode);
  int32_t worst = kDone;
  for (size_t at = 0; at < codes.size(); at += sizeof exitCode) {
    std::memcpy(&exitCode, codes.data() + at, sizeof exitCode);
    worst = std::max(worst, exitCode);
  }
  broadcast(communicator, &worst, sizeof worst);
  if (worst != kDone)
    throw AgreedError(ExitCode(worst), summary(communicator, messages));
}

} // namespace partyline::runtime
