//===- frontend/host_range.cpp --------------------------------------------===//

#include "frontend/host_range.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace partyline {

static constexpr size_t kMostHosts = 65536;

/// The number that `digits` writes.
static int64_t parseHostNumber(const std::string &digits, const std::string &text) {
  int64_t value = 0;
  auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc() || end != digits.data() + digits.size() || digits[0] == '-')
    throw inputError("'" + text + "': '" + digits + "' is no number; ranges are written as in phone[01-46,50]");
  return value;
}

/// Appends what one part of a bracket ("001-046" or "50") stands for. Leading zeros give the width of all its numbers.
static void expandPart(const std::string &part, const std::string &text, std::vector<std::string> &numbers) {
  const size_t dash = part.find('-');
  const std::string low = part.substr(0, dash), high = dash == std::string::npos ? low : part.substr(dash + 1);
  const int64_t first = parseHostNumber(low, text), last = parseHostNumber(high, text);
  const bool padded = (low.size() > 1 && low[0] == '0') || (high.size() > 1 && high[0] == '0');
  if (padded && low.size() != high.size())
    throw inputError("'" + text + "': '" + part + "' has zeros in front, so both ends must be of the same width");
  if (last < first)
    throw inputError("'" + text + "': the range '" + part + "' ends before it begins");
  if (last - first >= static_cast<int64_t>(kMostHosts))
    throw inputError("'" + text + "': the range '" + part + "' is too long");
  for (int64_t number = first; number <= last; ++number) {
    std::string digits = std::to_string(number);
    if (padded && digits.size() < low.size())
      digits.insert(0, low.size() - digits.size(), '0');
    numbers.push_back(digits);
  }
}

std::vector<std::string> expandHostRange(const std::string &text) {
  std::vector<std::string> names = {""};
  for (size_t position = 0; position < text.size();) {
    const size_t open = text.find_first_of("[]", position);
    const std::string plain = text.substr(position, open - position);
    for (std::string &name : names)
      name += plain;
    if (open == std::string::npos)
      break;
    const size_t close = text.find_first_of("[]", open + 1);
    if (text[open] == ']' || close == std::string::npos || text[close] == '[')
      throw inputError("'" + text + "': its brackets do not match");
    std::vector<std::string> numbers;
    for (size_t begin = open + 1; begin <= close;) {
      const size_t end = std::min(text.find(',', begin), close);
      if (end == begin)
        throw inputError("'" + text + "': a number is missing in the brackets");
      expandPart(text.substr(begin, end - begin), text, numbers);
      begin = end + 1;
    }
    if (numbers.size() > kMostHosts / names.size())
      throw inputError("'" + text + "' stands for more than " + std::to_string(kMostHosts) + " hosts");
    std::vector<std::string> combined;
    for (const std::string &name : names)
      for (const std::string &number : numbers)
        combined.push_back(name + number);
    names = std::move(combined);
    position = close + 1;
  }
  return names;
}

} // namespace partyline
