//===- tools/commands/model.cpp - writes a network of the zoo -------------===//
#include "tools/commands/commands.h"

#include "models/zoo.h"
#include "runtime/shared/error.h"

#include <cstdio>
#include <memory>
#include <optional>

namespace partyline::commands {

namespace {

struct ModelOptions {
  std::string name, output, input;
  std::optional<int64_t> classes;
  std::optional<double> dropout;
  uint64_t seed = 0;
  bool list = false;
};

} // namespace

static void run(const ModelOptions &given) {
  if (given.list) {
    for (const models::Network &network : models::networks())
      printf("%-12s %s\n", network.name.c_str(), network.description.c_str());
    return;
  }
  if (given.name.empty() || given.output.empty())
    throw inputError("model: a network's name and -o FILE are needed, or --list");
  models::NetworkOptions options = models::findNetwork(given.name).defaults;
  if (!given.input.empty())
    models::setInput(options, given.input);
  options.classes = given.classes.value_or(options.classes);
  options.dropout = given.dropout.value_or(options.dropout);
  options.seed = given.seed;
  models::writeModel(given.name, options, given.output);
  printf("wrote %s\n", given.output.c_str());
}

void addModel(CLI::App &app) {
  CLI::App *command = app.add_subcommand("model", "Writes a network of the zoo as ONNX\n"
                                                  "Example: partyline model resnet20 -o resnet20.onnx");
  auto options = std::make_shared<ModelOptions>();
  command->add_option("name", options->name, "The network");
  command->add_option("-o,--output", options->output, "The file to write");
  command->add_option("--input", options->input, "Input shape, as 3x32x32");
  command->add_option("--classes", options->classes, "Number of classes");
  command->add_option("--dropout", options->dropout, "Ratio of the network's Dropout layers, where it has any");
  command->add_option("--seed", options->seed, "Of the initial weights");
  command->add_flag("--list", options->list, "List the networks");
  command->callback([options] { run(*options); });
}

} // namespace partyline::commands
