//===- tests/planner/planner_io_test.cpp ----------------------------------===//
#include "passes/planner/planner_io.h"
#include "runtime/shared/error.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace partyline::planner {
namespace {

template <typename Read> auto readText(Read read, const std::string &text) {
  std::istringstream stream(text);
  return read(stream, "file.csv");
}

template <typename Read> std::string messageOf(Read read, const std::string &text) {
  try {
    readText(read, text);
  } catch (const Error &error) {
    EXPECT_EQ(error.exitCode, kWrongInput);
    return error.what();
  }
  return "";
}

TEST(PlannerIo, ArenaCsvReadsBackWithOffsets) {
  const ArenaProblem problem = readText(readArenaCsv, "id,lower,upper,size\r\n4,0,2,100\r\n5,1,3,50\n\n");
  ASSERT_EQ(problem.buffers.size(), 2u);
  const ArenaSolution solution = solveArena(problem);
  std::ostringstream out;
  writeArenaCsv(out, problem, solution);
  EXPECT_EQ(out.str(), "id,lower,upper,size,offset\n4,0,2,100,0\n5,1,3,50,128\n");
  const ArenaProblem again = readText(readArenaCsv, out.str());
  EXPECT_EQ(again.buffers[1].size, 50);
  EXPECT_EQ(again.buffers[1].upper, 3);
}

TEST(PlannerIo, WrongArenaCsvNamesFileAndLine) {
  EXPECT_EQ(messageOf(readArenaCsv, ""), "file.csv: is empty; it begins with a line 'id,lower,upper,size'");
  EXPECT_EQ(messageOf(readArenaCsv, "id,lower,size\n"), "file.csv:1: no column 'upper' among 'id,lower,size'");
  EXPECT_EQ(messageOf(readArenaCsv, "id,lower,upper,size\n0,0,1,8\n1,0,1\n"), "file.csv:3: 3 columns, not 4");
  EXPECT_EQ(messageOf(readArenaCsv, "id,lower,upper,size\n0,0,1,8x\n"), "file.csv:2: size is '8x', not an integer");
  EXPECT_EQ(messageOf(readArenaCsv, "id,lower,upper,size\n0,0,0,8\n"), "file.csv:2: upper is '0', not greater than "
                                                                       "lower");
  EXPECT_NE(messageOf(readArenaCsv, "id,lower,upper,size\n0,0,1,-8\n"), "");
  EXPECT_NE(messageOf(readArenaCsv, "id,lower,upper,size\n0,0,1,99999999999999999999\n"), "");
}

TEST(PlannerIo, TensorsCsv) {
  PackingProblem problem = readText(readTensorsCsv, "ready_ms,name,bytes\n1.5,fc.weight,4000\n2,conv.weight,100\n");
  ASSERT_EQ(problem.tensors.size(), 2u);
  EXPECT_EQ(problem.tensors[0].name, "fc.weight");
  EXPECT_EQ(problem.tensors[0].bytes, 4000);
  EXPECT_DOUBLE_EQ(problem.tensors[0].ready, 1.5e-3);
  problem.cost = [](int64_t) { return 1e-3; };
  const nlohmann::ordered_json json = toJson(solvePacking(problem));
  EXPECT_DOUBLE_EQ(json["end_ms"].get<double>(), 3);
  EXPECT_EQ(json["buckets"][0]["tensors"], 2);
  EXPECT_NE(messageOf(readTensorsCsv, "name,bytes,ready_ms\na,1,nan\n"), "");
  EXPECT_NE(messageOf(readTensorsCsv, "name,bytes,ready_ms\na,1,-1\n"), "");
  EXPECT_NE(messageOf(readTensorsCsv, "name,bytes,ready_ms\na,-1,1\n"), "");
}

TEST(PlannerIo, PhonesCsv) {
  ShareProblem problem = readText(readPhonesCsv, "constant_ms,per_micro_batch_ms,per_sample_ms,micro_batch\n"
                                                 "0,0,1000,8\n0,0,3000,8\n");
  problem.globalBatch = 8;
  EXPECT_EQ(toJson(solveShares(problem)).dump(), R"({"seconds":6.0,"samples":[6,2]})");
  EXPECT_NE(messageOf(readPhonesCsv, "constant_ms,per_micro_batch_ms,per_sample_ms,micro_batch\n0,0,1,0\n"), "");
}

} // namespace
} // namespace partyline::planner
