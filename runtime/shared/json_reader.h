//===- json_reader.h - JSON values whose errors name the file and the key -===//
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace partyline {

/// A JSON value and the way to it: "resnet.party/manifest.json: classes[0].microBatch". Every accessor checks the type
/// and the range, and throws an Error that names both. The value must outlive the reader.
class JsonReader {
public:
  JsonReader(const nlohmann::json &value, std::string file) : value(value), file(std::move(file)) {}

  /// The member of an object; an Error where it is missing.
  JsonReader at(const std::string &key) const;
  /// The elements of a list.
  std::vector<JsonReader> elements() const;

  bool isNull() const;
  std::string string() const;
  bool boolean() const;
  double number() const; ///< finite
  int64_t integer(int64_t least, int64_t most) const;
  std::vector<int64_t> integers(int64_t least, int64_t most) const;
  std::vector<double> numbers() const;
  std::vector<std::string> strings() const;

  [[noreturn]] void fail(const std::string &what) const;

private:
  JsonReader(const nlohmann::json &value, std::string file, std::string key)
      : value(value), file(std::move(file)), key(std::move(key)) {}

  const nlohmann::json &value;
  std::string file, key;
};

} // namespace partyline
