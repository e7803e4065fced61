//===- frontend/units.cpp - numbers with units ----------------------------===//

#include "frontend/units.h"

#include "runtime/shared/error.h"

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

namespace partyline {

using Units = std::vector<std::pair<const char *, double>>;

static const Units kBytes = {{"B", 1},     {"kB", 1e3},     {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
                             {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
static const Units kBandwidths = {{"b/s", 0.125}, {"kb/s", 125}, {"Mb/s", 125e3}, {"Gb/s", 125e6}, {"B/s", 1},
                                  {"kB/s", 1e3},  {"KB/s", 1e3}, {"MB/s", 1e6},   {"GB/s", 1e9}};
static const Units kDurations = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};

/// "B, kB, KB...", for messages.
static std::string listed(const Units &units) {
  std::string text;
  for (const auto &[name, factor] : units)
    text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

static double parseWithUnit(const std::string &text, const Units &units, const std::string &example) {
  double number = 0;
  const char *begin = text.data(), *end = text.data() + text.size();
  auto [rest, failure] = std::from_chars(begin, end, number);
  if (failure != std::errc() || !std::isfinite(number))
    throw inputError("'" + text + "' is no number with a unit, such as '" + example + "'");
  if (number < 0)
    throw inputError("'" + text + "' is negative");
  while (rest != end && *rest == ' ')
    ++rest;
  std::string unit(rest, end);
  if (unit.empty())
    throw inputError("'" + text + "' has no unit: write, for example, '" + example + "' (" + listed(units) + ")");
  for (const auto &[name, factor] : units)
    if (unit == name) {
      if (number * factor > 0x1p60)
        throw inputError("'" + text + "' is too large");
      return number * factor;
    }
  throw inputError("'" + text + "' has an unknown unit '" + unit + "' (only " + listed(units) + ")");
}

int64_t parseBytes(const std::string &text) { return std::llround(parseWithUnit(text, kBytes, "512 MB")); }
double parseBandwidth(const std::string &text) { return parseWithUnit(text, kBandwidths, "1 Gb/s"); }
double parseDuration(const std::string &text) { return parseWithUnit(text, kDurations, "100 us"); }

} // namespace partyline
