//===- planner/planner_io.h - planner problems as CSV and JSON ------------===//
//
// So that a problem can be kept, handed on and compared with other solvers. The solvers themselves read and write
// nothing. All readers throw Error (wrong input) with the file's name and the line.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/planner/arena.h"
#include "passes/planner/packing.h"
#include "passes/planner/shares.h"

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace partyline::planner {

/// Columns id,lower,upper,size in any order, as in minimalloc; others are ignored.
ArenaProblem readArenaCsv(std::istream &stream, const std::string &fileName);
/// The same with a column offset.
void writeArenaCsv(std::ostream &stream, const ArenaProblem &problem, const ArenaSolution &solution);

/// Columns name,bytes,ready_ms: gradients in the order in which they become ready. The cost is left to the caller.
PackingProblem readTensorsCsv(std::istream &stream, const std::string &fileName);
/// {"end_ms", "buckets": [...]}, the buckets as in the report.
nlohmann::ordered_json toJson(const PackingSolution &solution);

/// Columns constant_ms,per_micro_batch_ms,per_sample_ms,micro_batch: a line per phone. The global batch is the
/// caller's.
ShareProblem readPhonesCsv(std::istream &stream, const std::string &fileName);
/// {"seconds", "samples": [...]}.
nlohmann::ordered_json toJson(const ShareSolution &solution);

} // namespace partyline::planner
