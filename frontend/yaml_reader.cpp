//===- frontend/yaml_reader.cpp -------------------------------------------===//

#include "frontend/yaml_reader.h"

#include "frontend/units.h"
#include "runtime/shared/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace partyline {

void YamlErrors::throwIfAny() const {
  constexpr size_t most = 20;
  std::string text;
  size_t shown = 0;
  for (const auto &[line, message] : messages) {
    if (shown++ == most) {
      text += "\nand " + std::to_string(messages.size() - most) + " more";
      break;
    }
    text += (text.empty() ? "" : "\n") + file + ":" + std::to_string(line) + ": " + message;
  }
  if (!messages.empty())
    throw inputError(text);
}

/// Levenshtein distance.
static size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

/// "; did you mean 'X'?" where one of the known keys is near, else the list of them.
static std::string suggestion(const std::string &key, const std::vector<std::string> &known) {
  std::string nearest, all;
  size_t distance = 1 + std::max<size_t>(2, key.size() / 3);
  for (const std::string &candidate : known) {
    all += (all.empty() ? "" : ", ") + candidate;
    if (key.size() > 64)
      continue;
    if (size_t current = editDistance(key, candidate); current < distance) {
      distance = current;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "; known are " + all : "; did you mean '" + nearest + "'?";
}

YamlMapping::YamlMapping(const YAML::Node &node, std::string what, const std::vector<std::string> &known,
                         YamlErrors &errors)
    : what(std::move(what)), errors(errors), lineNumber(node.Mark().line + 1) {
  if (!node.IsMap()) {
    errors.add(node, this->what + " must be a mapping, as in {key: value}");
    return;
  }
  for (const auto &entry : node) {
    if (!entry.first.IsScalar()) {
      errors.add(entry.first, this->what + ": a key must be a word");
      continue;
    }
    const std::string &key = entry.first.Scalar();
    if (std::find(known.begin(), known.end(), key) == known.end())
      errors.add(entry.first, this->what + ": unknown key '" + key + "'" + suggestion(key, known));
    else if (!entries.emplace(key, std::pair(entry.first.Mark().line + 1, entry.second)).second)
      errors.add(entry.first, this->what + ": '" + key + "' is given twice");
  }
}

YAML::Node YamlMapping::at(const std::string &key) const {
  auto found = entries.find(key);
  return found == entries.end() ? YAML::Node(YAML::NodeType::Undefined) : found->second.second;
}

int YamlMapping::line(const std::string &key) const {
  auto found = entries.find(key);
  return found == entries.end() ? lineNumber : found->second.first;
}

void YamlMapping::addError(const std::string &key, const std::string &message) const {
  errors.add(line(key), what + ": " + key + ": " + message);
}

void YamlMapping::require(const std::vector<std::string> &keys) const {
  for (const std::string &key : keys)
    if (!has(key))
      errors.add(lineNumber, what + ": '" + key + "' is missing");
}

std::optional<std::string> YamlMapping::text(const std::string &key) const {
  if (!has(key))
    return std::nullopt;
  YAML::Node node = at(key);
  if (node.IsScalar() && !node.Scalar().empty())
    return node.Scalar();
  addError(key, "must be a word or a number");
  return std::nullopt;
}

template <typename Parse>
auto YamlMapping::parsed(const std::string &key, Parse parse) const -> std::optional<decltype(parse(""))> {
  auto value = text(key);
  if (!value)
    return std::nullopt;
  try {
    return parse(*value);
  } catch (const Error &error) {
    addError(key, error.what());
    return std::nullopt;
  }
}

/// All of `text` as a number.
template <typename Number> static Number parseNumber(const std::string &text) {
  Number number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size())
    throw inputError("'" + text + "' is not " + (std::is_integral_v<Number> ? "a whole number" : "a number"));
  return number;
}

std::optional<int64_t> YamlMapping::integer(const std::string &key, int64_t least, int64_t most) const {
  return parsed(key, [&](const std::string &text) {
    auto number = parseNumber<int64_t>(text);
    if (number < least || number > most)
      throw inputError(text + " is impossible (only " + std::to_string(least) + " to " + std::to_string(most) + ")");
    return number;
  });
}

std::optional<double> YamlMapping::positive(const std::string &key) const {
  return parsed(key, [](const std::string &text) {
    auto number = parseNumber<double>(text);
    if (!std::isfinite(number) || number <= 0)
      throw inputError(text + " is impossible: it must be greater than 0");
    return number;
  });
}

template <typename Number> static Number greaterThanZero(Number number, const std::string &text) {
  if (number <= 0)
    throw inputError("'" + text + "' is impossible: it must be greater than 0");
  return number;
}

std::optional<int64_t> YamlMapping::bytes(const std::string &key) const {
  return parsed(key, [](const std::string &text) { return greaterThanZero(parseBytes(text), text); });
}

std::optional<double> YamlMapping::bandwidth(const std::string &key) const {
  return parsed(key, [](const std::string &text) { return greaterThanZero(parseBandwidth(text), text); });
}

std::optional<double> YamlMapping::duration(const std::string &key) const { return parsed(key, parseDuration); }

YAML::Node readYamlFile(const std::string &path) {
  constexpr uintmax_t mostBytes = 16 << 20;
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure))
    throw inputError(path + ": no such file");
  if (std::filesystem::file_size(path, failure) > mostBytes)
    throw inputError(path + ": too large for a cluster file");
  std::ifstream stream(path);
  if (!stream)
    throw inputError(path + ": cannot be opened");
  try {
    return YAML::Load(stream);
  } catch (const YAML::Exception &error) {
    throw inputError(path + ":" + std::to_string(error.mark.line + 1) + ": not valid YAML: " + error.msg);
  }
}

} // namespace partyline
