//===- tools/commands/ops.cpp - lists the operators -----------------------===//
#include "tools/commands/commands.h"

#include "frontend/folding_rules.h"
#include "ir/onnx_imports.h"
#include "tools/commands/unsupported_operators.h"

#include <cstdio>
#include <map>
#include <memory>
#include <set>

namespace partyline::commands {
namespace {

/// What the table says of one operator. tests/ops/operator_table_test.cpp and tests/line/ops.sh hold it to what is so.
struct Row {
  std::string versions, forward, gradient, limits, tests;
};

/// Trainable operators of which ONNX's node tests say nothing, or only in a form before opset 7 or of other types.
const std::set<std::string> withoutNodeTest = {"Elu",
                                               "Equal",
                                               "Gelu",
                                               "GlobalAveragePool",
                                               "GlobalMaxPool",
                                               "Greater",
                                               "GreaterOrEqual",
                                               "GroupNormalization",
                                               "InstanceNormalization",
                                               "Less",
                                               "LessOrEqual",
                                               "Mish",
                                               "Selu",
                                               "SequenceAt",
                                               "Softplus",
                                               "Softsign",
                                               "SplitToSequence",
                                               "Where"};

std::string versionsText(const std::vector<int> &versions) {
  std::string text;
  for (int version : versions)
    text += (text.empty() ? "" : ", ") + std::to_string(version);
  return text;
}

Row trainedRow(const OnnxImport &import) {
  Row row{versionsText(import.sinceVersions), "yes", "yes", import.limits, "reference"};
  if (import.noGradient.empty())
    row.tests += ", finite differences";
  else
    row.gradient = "none: " + import.noGradient;
  if (!withoutNodeTest.contains(import.op))
    row.tests += ", ONNX's node tests";
  return row;
}

std::map<std::string, Row> rows() {
  std::map<std::string, Row> table;
  for (const auto &[op, reason] : unsupportedOperators())
    table[op] = {"", "no: " + reason, "", "", ""};
  for (const std::string &op : foldedOperators())
    table[op] = {"", "folded", "folded", "of constants and the batch size", "worked values"};
  table["If"] = {"", "folded", "folded", "the condition follows from constants and the batch size", "worked values"};
  for (const OnnxImport &import : onnxImports())
    table[import.op] = trainedRow(import);
  return table;
}

void printMarkdown() {
  printf("| operator | opsets | forward | gradient | limits | tested by |\n| --- | --- | --- | --- | --- | --- |\n");
  for (const auto &[op, row] : rows())
    printf("| %s | %s | %s | %s | %s | %s |\n", op.c_str(), row.versions.c_str(), row.forward.c_str(),
           row.gradient.c_str(), row.limits.c_str(), row.tests.c_str());
}

void printText() {
  for (const OnnxImport &import : onnxImports())
    printf("%-22s %-22s %s\n", import.op.c_str(), versionsText(import.sinceVersions).c_str(), import.limits.c_str());
  printf("\nShape arithmetic on constants and on the batch size (Shape, Gather, Concat, Cast, Expand...) is folded,\n"
         "and an If whose condition follows from it is its branch. Not supported:\n");
  std::map<std::string, std::string> byReason;
  for (const auto &[op, reason] : unsupportedOperators())
    byReason[reason] += " " + op;
  for (const auto &[reason, ops] : byReason)
    printf("  %s:%s\n", reason.c_str(), ops.c_str());
}

} // namespace

void addOps(CLI::App &app) {
  CLI::App *command = app.add_subcommand("ops", "Lists the operators that can be trained\nExample: partyline ops");
  auto format = std::make_shared<std::string>("text");
  command->add_option("--format", *format, "text or md: a table of all operators")
      ->check(CLI::IsMember({"text", "md"}));
  command->callback([format] { *format == "md" ? printMarkdown() : printText(); });
}

} // namespace partyline::commands
