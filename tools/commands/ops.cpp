//===- tools/commands/ops.cpp - lists the trainable operators -------------===//
#include "tools/commands/commands.h"

#include "ir/onnx_imports.h"

#include <cstdio>
#include <memory>

namespace partyline::commands {

static std::string versionsText(const std::vector<int> &versions) {
  std::string text;
  for (int version : versions)
    text += (text.empty() ? "" : ", ") + std::to_string(version);
  return text;
}

static void run(bool markdown) {
  if (markdown)
    printf("| operator | since versions | limits |\n| --- | --- | --- |\n");
  for (const OnnxImport &import : onnxImports())
    printf(markdown ? "| %s | %s | %s |\n" : "%-26s %-22s %s\n", import.op.c_str(),
           versionsText(import.sinceVersions).c_str(), import.limits.c_str());
  if (!markdown)
    printf("\nShape arithmetic on constants and on the batch size (Shape, Gather, Concat, Cast, Expand...) is folded,\n"
           "and an If whose condition follows from it is its branch.\n");
}

void addOps(CLI::App &app) {
  CLI::App *command = app.add_subcommand("ops", "Lists the operators that can be trained\nExample: partyline ops");
  auto format = std::make_shared<std::string>("text");
  command->add_option("--format", *format, "text or md")->check(CLI::IsMember({"text", "md"}));
  command->callback([format] { run(*format == "md"); });
}

} // namespace partyline::commands
