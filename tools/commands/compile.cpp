//===- tools/commands/compile.cpp - a model becomes a cluster binary ------===//
#include "tools/commands/commands.h"
#include "tools/commands/compiling.h"
#include "tools/commands/tuning.h"

#include "codegen/party_builder.h"
#include "codegen/temporary_file.h"
#include "frontend/exporter.h"
#include "runtime/data/preprocess.h"
#include "runtime/shared/error.h"
#include "runtime/shared/file.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

namespace partyline::commands {

namespace {

struct CompileCommand {
  CompileOptions compile;
  std::string output;
  unsigned jobs = 0;
  bool tune = false;
};

} // namespace

// Kernels of a class as they come: a live line on a terminal, otherwise one line at the end.
static void showProgress(const std::string &device, size_t done, size_t missing) {
  bool live = isatty(STDERR_FILENO);
  if (live || done == missing)
    fprintf(stderr, "%skernels for %s: %zu of %zu%s", live ? "\r" : "", device.c_str(), done, missing,
            done == missing ? "\n" : "");
}

static void runCompile(const CompileCommand &options) {
  Compilation compilation = planModel(options.compile);
  if (compilation.stopped)
    return;
  if (options.output.empty())
    throw inputError("compile: -o NAME.party is missing");
  codegen::BuildOptions build;
  build.inputName = compilation.model.inputName;
  build.outputName = compilation.model.outputName;
  build.training = manifestOptions(options.compile);
  build.preprocess = runtime::preprocessPreset(options.compile.preprocess);
  build.jobs = options.jobs;
  build.progress = showProgress;

  auto buildWith = [&](const codegen::DeviceChoice &choice, const std::filesystem::path &party) {
    codegen::TemporaryFolder work("partyline-compile");
    build.choice = choice;
    codegen::PartyContents contents =
        codegen::buildParty(*compilation.model.module, compilation.cluster, compilation.plan, build, work.path());
    contents.parameters = std::move(compilation.model.weights);
    contents.writeModel = [&](const std::filesystem::path &path) { copyModel(options.compile.model, path); };
    if (!options.compile.cluster.empty())
      readWholeFile(options.compile.cluster, 64 << 20, contents.clusterYaml);
    contents.planJson = planner::toJson(compilation.plan.report).dump(2) + "\n";
    writeParty(contents, party);
    compilation.model.weights = std::move(contents.parameters);
  };
  buildWith(options.tune ? tuneKernels(compilation.cluster, buildWith, options.compile.verbose) : nullptr,
            options.output);
  for (const PlannedClass &planned : compilation.plan.classes)
    printf("%s: micro-batch %lld, planned peak %.1f MB\n", planned.device.c_str(), (long long)planned.microBatch,
           double(planned.memory.peak()) * 1e-6);
  printf("wrote %s (global batch %lld)\n", options.output.c_str(), (long long)compilation.plan.globalBatch);
}

void addCompile(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("compile", "Compiles a model for a cluster\n"
                                    "Example: partyline compile resnet20.onnx --cluster rack.yaml -o resnet20.party");
  auto options = std::make_shared<CompileCommand>();
  addCompileOptions(*command, options->compile);
  command->add_option("-o,--output", options->output, "The cluster binary to write, NAME.party");
  command->add_option("-j,--jobs", options->jobs, "Kernel generators at a time; without it: one per core");
  command->add_flag("--tune", options->tune,
                    "Measure other schedules of the kernels on this machine, and take and remember the fastest");
  command->callback([options] { runCompile(*options); });
}

} // namespace partyline::commands
