//===- tools/commands/model.cpp - writes a network of the zoo -------------===//
#include "tools/commands/commands.h"

#include "models/zoo.h"
#include "runtime/shared/error.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <optional>

namespace partyline::commands {

namespace {

struct ModelOptions {
  std::string name, output, input, format = "text";
  std::optional<int64_t> classes;
  std::optional<double> dropout;
  double widthMultiplier = 1;
  uint64_t seed = 0;
  bool list = false;
};

} // namespace

static double mebibytes(const models::Figures &figures) { return double(figures.bytes()) / (1 << 20); }
static double gflop(const models::Figures &figures) { return 2e-9 * double(figures.multiplyAdds); }

static void listText() {
  printf("%-18s %11s %12s %10s %12s %8s %8s\n", "network", "input", "parameters", "BN state", "bytes", "MiB", "GFLOP");
  for (const models::Network &network : models::networks()) {
    const models::NetworkOptions &options = network.defaults;
    models::Figures figures = models::countFigures(network.name, options);
    std::string input =
        std::to_string(options.channels) + "x" + std::to_string(options.height) + "x" + std::to_string(options.width);
    printf("%-18s %11s %12lld %10lld %12lld %8.2f %8.3f  %s\n", network.name.c_str(), input.c_str(),
           (long long)figures.parameters, (long long)figures.state, (long long)figures.bytes(), mebibytes(figures),
           gflop(figures), network.description.c_str());
  }
  printf("\nBN state: BatchNorm's means and variances. Bytes: of parameters and state, as float32. GFLOP: forward, per "
         "image,\n2 for each multiply-add of a convolution or matrix product.\n");
}

static void listJson() {
  auto list = nlohmann::ordered_json::array();
  for (const models::Network &network : models::networks()) {
    const models::NetworkOptions &options = network.defaults;
    models::Figures figures = models::countFigures(network.name, options);
    list.push_back({{"name", network.name},
                    {"description", network.description},
                    {"input", {options.channels, options.height, options.width}},
                    {"classes", options.classes},
                    {"parameters", figures.parameters},
                    {"batch_norm_state", figures.state},
                    {"bytes", figures.bytes()},
                    {"mebibytes", mebibytes(figures)},
                    {"forward_gflop", gflop(figures)}});
  }
  printf("%s\n", list.dump(2).c_str());
}

static void runModel(const ModelOptions &given) {
  if (given.list)
    return given.format == "json" ? listJson() : listText();
  if (given.name.empty() || given.output.empty())
    throw inputError("model: a network's name and -o FILE are needed, or --list");
  models::NetworkOptions options = models::findNetwork(given.name).defaults;
  if (!given.input.empty())
    models::setInput(options, given.input);
  options.classes = given.classes.value_or(options.classes);
  options.dropout = given.dropout.value_or(options.dropout);
  options.widthMultiplier = given.widthMultiplier;
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
  command->add_option("--input", options->input, "Input shape, as 3x32x32; without it the network's own (--list)");
  command->add_option("--classes", options->classes, "Number of classes, or of numbers to regress");
  command->add_option("--dropout", options->dropout,
                      "Ratio of the network's Dropout layers, where it has any; 0: without");
  command->add_option("--width-multiplier", options->widthMultiplier,
                      "Of the channels of each layer, in MobileNets and SqueezeNets; below 1: smaller and faster");
  command->add_option("--seed", options->seed, "Of the initial weights");
  CLI::Option *list = command->add_flag("--list", options->list, "List the networks: weights and work per image");
  command->add_option("--format", options->format, "Of the list: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->needs(list);
  command->callback([options] { runModel(*options); });
}

} // namespace partyline::commands
