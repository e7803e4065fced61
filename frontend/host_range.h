//===- frontend/host_range.h - phone[001-046,050] -------------------------===//
#pragma once

#include <string>
#include <vector>

namespace partyline {

/// Expands the ranges in a name as pdsh and Slurm do: "phone[08-10,12]" is phone08, phone09, phone10, phone12; several
/// brackets combine, the last one running fastest. Throws Error where brackets or ranges make no sense.
std::vector<std::string> expandHostRange(const std::string &text);

} // namespace partyline
