//===- tools/commands/plan.cpp - the dry run ------------------------------===//
#include "tools/commands/commands.h"
#include "tools/commands/compiling.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace partyline::commands {

void addPlan(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "plan", "Says what fits, how gradients are packed and how long a step takes; runs nothing\n"
              "Example: partyline plan resnet20.onnx --cluster rack.yaml --format json -o plan.json");
  struct Options {
    CompileOptions compile;
    std::string format, output;
  };
  auto options = std::make_shared<Options>();
  addCompileOptions(*command, options->compile);
  command->add_option("--format", options->format, "text or json; without it: text, or what the name of the file says")
      ->check(CLI::IsMember({"text", "json"}));
  command->add_option("-o,--output", options->output, "File to write; without it: the standard output");
  command->callback([options] {
    Compilation compilation = planModel(options->compile);
    if (compilation.stopped)
      return;
    const planner::Report &report = compilation.plan.report;
    const bool json = options->format.empty() ? std::filesystem::path(options->output).extension() == ".json"
                                              : options->format == "json";
    writeText(options->output, json ? planner::toJson(report).dump(2) + "\n" : planner::toText(report));
  });
}

} // namespace partyline::commands
