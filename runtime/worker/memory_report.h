//===- memory_report.h - measured against planned peak --------------------===//
#pragma once

#include "runtime/worker/session.h"

namespace partyline::runtime {

/// The most memory this process ever had resident, in bytes; 0 where the system does not say.
int64_t peakResidentBytes();

/// Rank 0 writes {"ranks": [{"rank", "host", "device", "peak", "planned_peak", "arena"}]}, in bytes.
void writeMemoryReport(const Session &session, const std::string &path);

} // namespace partyline::runtime
