//===- tools/commands/export.cpp - the user's model with trained weights --===//
#include "tools/commands/commands.h"

#include "frontend/exporter.h"
#include "runtime/checkpoint/retention.h"
#include "runtime/shared/error.h"
#include "runtime/shared/manifest_json.h"

#include <cstdio>
#include <filesystem>
#include <memory>

namespace partyline::commands {

namespace {

struct ExportOptions {
  std::string party, checkpoint, output;
};

} // namespace

static void runExport(const ExportOptions &options) {
  Manifest manifest = readManifest(options.party + "/manifest.json");
  auto found =
      runtime::findCheckpoint(options.checkpoint, runtime::CheckpointChoice::best,
                              [](const std::string &note) { fprintf(stderr, "partyline: %s\n", note.c_str()); });
  if (!found)
    throw inputError(options.checkpoint + ": there is no checkpoint; train with --checkpoint");
  runtime::checkCheckpoint(found->checkpoint, manifest, found->path);
  std::map<std::string, TrainedTensor> trained;
  for (runtime::CheckpointTensor &tensor : found->checkpoint.tensors)
    if (tensor.slot.empty())
      trained[tensor.name] = {std::move(tensor.shape), std::move(tensor.values)};
  exportModel(std::filesystem::path(options.party) / "model.onnx", trained, options.output,
              {{"partyline.step", std::to_string(found->checkpoint.step)}});
  printf("wrote %s (%s, step %lld)\n", options.output.c_str(), found->path.c_str(), (long long)found->checkpoint.step);
}

void addExport(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("export", "Writes the user's own model with trained weights\n"
                                   "Example: partyline export lenet.party --checkpoint ckpt/ -o trained.onnx");
  auto options = std::make_shared<ExportOptions>();
  command->add_option("party", options->party, "The cluster binary")->required();
  command->add_option("--checkpoint", options->checkpoint, "A checkpoint, or a folder: its best one")->required();
  command->add_option("-o,--output", options->output, "The ONNX file to write")->required();
  command->callback([options] { runExport(*options); });
}

} // namespace partyline::commands
