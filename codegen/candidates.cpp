//===- codegen/candidates.cpp ---------------------------------------------===//
#include "codegen/candidates.h"

#include "codegen/kernel_library.h"
#include "codegen/subprocess.h"
#include "runtime/shared/error.h"
#include "runtime/shared/file.h"
#include "runtime/shared/hash.h"

#include <fstream>
#include <regex>

namespace fs = std::filesystem;

namespace partyline::codegen {

static void applyChoice(StepOperation &operation, const CandidateChoice &choice) {
  if (const int64_t candidate = choice(kernelSymbol(operation.kernel)))
    operation.kernel.parameters["candidate"] = candidate;
}

void applyChoice(StepProgram &program, const CandidateChoice &choice) {
  for (StepOperation &operation : program.forwardBackward)
    applyChoice(operation, choice);
  for (StepOperation &operation : program.evaluate)
    applyChoice(operation, choice);
  for (UpdateOperation &update : program.updates)
    applyChoice(update.operation, choice);
}

std::map<std::string, int64_t> candidateCounts() {
  // A line is "FAMILY: PARAMETER...", with "candidate<COUNT" behind them where there are several.
  static const std::regex severalCandidates("(\\w+):.* candidate<(\\d+)");
  std::map<std::string, int64_t> counts;
  const ProcessResult result = runProcess({findKernelGenerator().string(), "--families"}, [&](const std::string &line) {
    if (std::smatch parts; std::regex_match(line, parts, severalCandidates))
      counts[parts[1]] = std::stoll(parts[2]);
  });
  if (result.status != 0)
    throw runError("partyline-kernelgen --families failed:\n" + result.errors);
  return counts;
}

std::string familyOf(const std::string &symbol) { return symbol.substr(0, symbol.rfind('_')); }

MeasuredCandidates::MeasuredCandidates(const fs::path &cache, const std::string &conditions)
    : folder(cache / "candidates" / hashBytes(conditions.data(), conditions.size())) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw runError("cannot make " + folder.string() + ": " + error.message() +
                   "; set PARTYLINE_CACHE to a folder that can be written");
}

std::optional<int64_t> MeasuredCandidates::fastest(const std::string &symbol) const {
  std::ifstream in(folder / symbol);
  int64_t candidate = 0;
  if (in >> candidate && candidate >= 0)
    return candidate;
  return std::nullopt;
}

void MeasuredCandidates::record(const std::string &symbol, int64_t candidate) const {
  AtomicFile file((folder / symbol).string());
  const std::string text = std::to_string(candidate) + "\n";
  file.write(text.data(), text.size());
  file.commit();
}

} // namespace partyline::codegen
