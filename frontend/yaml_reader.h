//===- frontend/yaml_reader.h - YAML mappings with checked keys -----------===//
//
// Reads values and keeps going: all mistakes of a file are collected, each with its line, and thrown together. Only
// the frontend's own sources include this.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace partyline {

class YamlErrors {
public:
  explicit YamlErrors(std::string file) : file(std::move(file)) {}
  void add(int line, const std::string &message) { messages.emplace(std::max(1, line), message); }
  void add(const YAML::Node &node, const std::string &message) { add(node.Mark().line + 1, message); }
  /// One Error with a line `FILE:LINE: message` for each mistake, in the order of lines.
  void throwIfAny() const;

private:
  std::string file;
  std::multimap<int, std::string> messages;
};

/// A mapping whose keys are known. Getters return nothing where the key is missing, or after a mistake was recorded.
class YamlMapping {
public:
  /// `what` begins messages: "device 's10plus'". Records keys that are not among `known`, with the nearest that is,
  /// and keys given twice.
  YamlMapping(const YAML::Node &node, std::string what, const std::vector<std::string> &known, YamlErrors &errors);

  bool has(const std::string &key) const { return entries.count(key) > 0; }
  /// An undefined node where the key is missing.
  YAML::Node at(const std::string &key) const;
  int line() const { return lineNumber; }
  /// The key's line; the mapping's where it is missing.
  int line(const std::string &key) const;
  /// Records a mistake where one of `keys` is missing.
  void require(const std::vector<std::string> &keys) const;

  std::optional<std::string> text(const std::string &key) const;
  std::optional<int64_t> integer(const std::string &key, int64_t least, int64_t most) const;
  /// Greater than zero.
  std::optional<double> positive(const std::string &key) const;
  // With units; bytes and bandwidths are greater than zero.
  std::optional<int64_t> bytes(const std::string &key) const;
  std::optional<double> bandwidth(const std::string &key) const;
  std::optional<double> duration(const std::string &key) const;

private:
  template <typename Parse>
  auto parsed(const std::string &key, Parse parse) const -> std::optional<decltype(parse(""))>;
  void addError(const std::string &key, const std::string &message) const;

  std::string what;
  YamlErrors &errors;
  int lineNumber;
  std::map<std::string, std::pair<int, YAML::Node>> entries; ///< key -> line, value
};

/// The whole file. Throws Error where it cannot be read or is no YAML.
YAML::Node readYamlFile(const std::string &path);

} // namespace partyline
