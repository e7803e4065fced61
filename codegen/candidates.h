//===- codegen/candidates.h - which schedule of a kernel is taken ---------===//
//
// Some kernel families offer several schedules, their candidates (codegen/kernels/candidate.h). 0 is what the formulas
// say, and what a kernel has unless it was measured that another runs faster where the step will run.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/step_program.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace partyline::codegen {

/// The candidate for a kernel, which is named by the symbol it has as candidate 0.
using CandidateChoice = std::function<int64_t(const std::string &symbol)>;

void applyChoice(StepProgram &program, const CandidateChoice &choice);

/// How many candidates the families have, by name; of those with several.
std::map<std::string, int64_t> candidateCounts();

/// The family of a kernel's symbol (kernel_library.h).
std::string familyOf(const std::string &symbol);

/// What was measured, kept in the cache folder: a file per kernel below a folder for the conditions it holds under.
class MeasuredCandidates {
public:
  /// `conditions`: all that moves which one is fastest, but for the kernel.
  MeasuredCandidates(const std::filesystem::path &cache, const std::string &conditions);

  /// None where the kernel was not measured, or what is there cannot be read.
  std::optional<int64_t> fastest(const std::string &symbol) const;
  void record(const std::string &symbol, int64_t candidate) const;

private:
  std::filesystem::path folder;
};

} // namespace partyline::codegen
