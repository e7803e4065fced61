//===- planner/units.cpp - bytes and times for people ---------------------===//
#include "passes/planner/units.h"

#include <cmath>
#include <fmt/format.h>

namespace partyline::planner {

std::string humanBytes(int64_t bytes) {
  const char *units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes > -1000 && bytes < 1000)
    return fmt::format("{} B", bytes);
  double value = double(bytes) / 1000;
  int unit = 0;
  // 999.95 would print as 1000.0: move on to the next unit before that.
  while (std::abs(value) >= 999.95 && unit < 5) {
    value /= 1000;
    ++unit;
  }
  const double magnitude = std::abs(value);
  return fmt::format("{:.{}f} {}", value, magnitude < 9.995 ? 2 : magnitude < 999.95 ? 1 : 0, units[unit]);
}

std::string humanMilliseconds(double milliseconds) {
  const double magnitude = std::abs(milliseconds);
  if (magnitude == 0)
    return "0 ms";
  if (magnitude < 1)
    return fmt::format("{:.3g} us", milliseconds * 1e3);
  if (magnitude < 10000)
    return fmt::format("{:.{}f} ms", milliseconds, magnitude < 100 ? 2 : 0);
  return fmt::format("{:.1f} s", milliseconds / 1e3);
}

} // namespace partyline::planner
