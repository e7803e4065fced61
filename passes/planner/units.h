//===- planner/units.h - bytes and times for people -----------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace partyline::planner {

/// "912 B", "1.50 kB", "2.80 GB": decimal units, as in the cluster file.
std::string humanBytes(int64_t bytes);

/// "530 us", "47.0 ms", "84.0 s", from milliseconds.
std::string humanMilliseconds(double milliseconds);

} // namespace partyline::planner
