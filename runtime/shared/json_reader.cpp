//===- json_reader.cpp ----------------------------------------------------===//
#include "runtime/shared/json_reader.h"

#include "runtime/shared/error.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace partyline {

void JsonReader::fail(const std::string &what) const { throw inputError(file + ": " + key + ": " + what); }

JsonReader JsonReader::at(const std::string &name) const {
  const std::string path = key.empty() ? name : key + "." + name;
  if (!value.is_object())
    fail("must be an object");
  const auto found = value.find(name);
  if (found == value.end())
    throw inputError(file + ": " + path + " is missing");
  return JsonReader(*found, file, path);
}

std::vector<JsonReader> JsonReader::elements() const {
  if (!value.is_array())
    fail("must be a list");
  std::vector<JsonReader> readers;
  readers.reserve(value.size());
  for (size_t i = 0; i < value.size(); ++i)
    readers.push_back(JsonReader(value[i], file, key + "[" + std::to_string(i) + "]"));
  return readers;
}

bool JsonReader::isNull() const { return value.is_null(); }

std::string JsonReader::string() const {
  if (!value.is_string())
    fail("must be a string");
  return value.get<std::string>();
}

bool JsonReader::boolean() const {
  if (!value.is_boolean())
    fail("must be true or false");
  return value.get<bool>();
}

double JsonReader::number() const {
  if (!value.is_number())
    fail("must be a number");
  const double result = value.get<double>();
  if (!std::isfinite(result))
    fail("must be a finite number");
  return result;
}

int64_t JsonReader::integer(int64_t least, int64_t most) const {
  if (!value.is_number_integer())
    fail("must be a whole number");
  const bool tooLarge =
      value.is_number_unsigned() && value.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max());
  if (tooLarge || value.get<int64_t>() < least || value.get<int64_t>() > most)
    fail(value.dump() + " is not in " + std::to_string(least) + ".." + std::to_string(most));
  return value.get<int64_t>();
}

std::vector<int64_t> JsonReader::integers(int64_t least, int64_t most) const {
  std::vector<int64_t> result;
  for (const JsonReader &element : elements())
    result.push_back(element.integer(least, most));
  return result;
}

std::vector<double> JsonReader::numbers() const {
  std::vector<double> result;
  for (const JsonReader &element : elements())
    result.push_back(element.number());
  return result;
}

std::vector<std::string> JsonReader::strings() const {
  std::vector<std::string> result;
  for (const JsonReader &element : elements())
    result.push_back(element.string());
  return result;
}

} // namespace partyline
