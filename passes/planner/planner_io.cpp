//===- planner/planner_io.cpp - planner problems as CSV and JSON ----------===//
#include "passes/planner/planner_io.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>

namespace partyline::planner {
namespace {

std::vector<std::string> splitLine(std::string line) {
  if (!line.empty() && line.back() == '\r')
    line.pop_back();
  std::vector<std::string> cells(1);
  for (char c : line)
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  for (std::string &cell : cells) {
    cell.erase(0, std::min(cell.find_first_not_of(" \t"), cell.size()));
    cell.erase(cell.find_last_not_of(" \t") + 1);
  }
  return cells;
}

/// A CSV file without quotes, read line by line by column names.
class CsvReader {
public:
  CsvReader(std::istream &stream, std::string fileName, const std::vector<std::string> &wanted)
      : stream(stream), fileName(std::move(fileName)) {
    std::string line;
    if (!std::getline(stream, line))
      throw inputError(fmt::format("{}: is empty; it begins with a line '{}'", this->fileName, fmt::join(wanted, ",")));
    const std::vector<std::string> header = splitLine(line);
    width = header.size();
    for (const std::string &name : wanted) {
      auto found = std::find(header.begin(), header.end(), name);
      if (found == header.end())
        throw inputError(fmt::format("{}:1: no column '{}' among '{}'", this->fileName, name, line));
      columns.push_back(found - header.begin());
      names.push_back(name);
    }
  }

  /// The next line that is not empty.
  bool next() {
    std::string line;
    while (std::getline(stream, line)) {
      ++lineNumber;
      cells = splitLine(line);
      if (cells.size() == 1 && cells[0].empty())
        continue;
      if (cells.size() != width)
        throw inputError(fmt::format("{}:{}: {} columns, not {}", fileName, lineNumber, cells.size(), width));
      return true;
    }
    return false;
  }

  const std::string &text(size_t column) const { return cells[columns[column]]; }
  int64_t integer(size_t column) const { return parse<int64_t>(column, "an integer"); }
  double nonNegative(size_t column) const {
    const double value = parse<double>(column, "a number");
    if (!(value >= 0) || !std::isfinite(value))
      wrong(column, "a number from 0 on");
    return value;
  }
  [[noreturn]] void wrong(size_t column, const char *wanted) const {
    throw inputError(
        fmt::format("{}:{}: {} is '{}', not {}", fileName, lineNumber, names[column], text(column), wanted));
  }

private:
  template <typename T> T parse(size_t column, const char *wanted) const {
    const std::string &cell = text(column);
    T value{};
    auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size())
      wrong(column, wanted);
    return value;
  }

  std::istream &stream;
  std::string fileName;
  size_t width = 0;
  std::vector<size_t> columns;
  std::vector<std::string> names, cells;
  int64_t lineNumber = 1;
};

} // namespace

ArenaProblem readArenaCsv(std::istream &stream, const std::string &fileName) {
  CsvReader csv(stream, fileName, {"id", "lower", "upper", "size"});
  ArenaProblem problem;
  while (csv.next()) {
    const ArenaBuffer buffer{csv.integer(0), csv.integer(1), csv.integer(2), csv.integer(3)};
    if (buffer.upper <= buffer.lower)
      csv.wrong(2, "greater than lower");
    if (buffer.size < 0)
      csv.wrong(3, "a size from 0 on");
    problem.buffers.push_back(buffer);
  }
  return problem;
}

void writeArenaCsv(std::ostream &stream, const ArenaProblem &problem, const ArenaSolution &solution) {
  stream << "id,lower,upper,size,offset\n";
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const ArenaBuffer &buffer = problem.buffers[i];
    stream << buffer.id << ',' << buffer.lower << ',' << buffer.upper << ',' << buffer.size << ','
           << solution.offsets[i] << '\n';
  }
}

PackingProblem readTensorsCsv(std::istream &stream, const std::string &fileName) {
  CsvReader csv(stream, fileName, {"name", "bytes", "ready_ms"});
  PackingProblem problem;
  while (csv.next()) {
    PackingTensor tensor{csv.text(0), csv.integer(1), csv.nonNegative(2) / 1e3};
    if (tensor.bytes < 0)
      csv.wrong(1, "a size from 0 on");
    problem.tensors.push_back(std::move(tensor));
  }
  return problem;
}

nlohmann::ordered_json toJson(const PackingSolution &solution) {
  nlohmann::ordered_json json = {{"end_ms", solution.end * 1e3}, {"buckets", nlohmann::ordered_json::array()}};
  for (const Bucket &bucket : solution.buckets)
    json["buckets"].push_back({{"tensors", bucket.last - bucket.first},
                               {"bytes", bucket.bytes},
                               {"algorithm", bucket.algorithm},
                               {"ready_ms", bucket.ready * 1e3},
                               {"start_ms", bucket.start * 1e3},
                               {"end_ms", bucket.end * 1e3}});
  return json;
}

ShareProblem readPhonesCsv(std::istream &stream, const std::string &fileName) {
  CsvReader csv(stream, fileName, {"constant_ms", "per_micro_batch_ms", "per_sample_ms", "micro_batch"});
  ShareProblem problem;
  while (csv.next()) {
    const SharePhone phone{csv.nonNegative(0) / 1e3, csv.nonNegative(1) / 1e3, csv.nonNegative(2) / 1e3,
                           csv.integer(3)};
    if (phone.microBatch < 1)
      csv.wrong(3, "a micro-batch from 1 on");
    problem.phones.push_back(phone);
  }
  return problem;
}

nlohmann::ordered_json toJson(const ShareSolution &solution) {
  return {{"seconds", solution.seconds}, {"samples", solution.samples}};
}

} // namespace partyline::planner
