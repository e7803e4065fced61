//===- tools/commands/inspect.cpp - looks into a cluster binary -----------===//
#include "tools/commands/commands.h"

#include "runtime/shared/file.h"
#include "runtime/shared/manifest_json.h"

#include <cstdio>
#include <memory>

namespace partyline::commands {

namespace {

struct InspectOptions {
  std::string party;
  bool json = false;
};

} // namespace

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

static const char *kindText(TensorKind kind) {
  return kind == TensorKind::parameter ? "parameter" : kind == TensorKind::state ? "state" : "constant";
}

static void runInspect(const InspectOptions &options) {
  std::string path = options.party + "/manifest.json";
  Manifest manifest = readManifest(path);
  if (options.json) {
    std::string text;
    readWholeFile(path, kLargestManifestFile, text);
    fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  printf("model        %s, made by %s\n", manifest.modelName.c_str(), manifest.producer.c_str());
  printf("hash         %s\n", manifest.hash.c_str());
  printf("training     %s, %s, lr %g, momentum %g, weight decay %g, global batch %lld, seed %lld\n",
         manifest.options.loss.c_str(), manifest.options.optimizer.c_str(), manifest.options.learningRate,
         manifest.options.momentum, manifest.options.weightDecay, (long long)manifest.options.globalBatch,
         (long long)manifest.options.seed);
  printf("hosts        %zu%s\n", manifest.hosts.size(), manifest.hosts.empty() ? " (this machine)" : "");
  printf("buckets     ");
  for (const ManifestBucket &bucket : manifest.buckets)
    printf(" %lld kB", (long long)(bucket.last - bucket.first) * 4 / 1000);
  printf("\n\n%-16s %-40s %11s %11s %s\n", "class", "target", "micro-batch", "planned MB", "library");
  for (const ManifestClass &c : manifest.classes)
    printf("%-16s %-40s %11lld %11.1f %s\n", c.name.c_str(), c.target.c_str(), (long long)c.microBatch,
           double(c.plannedPeakBytes) * 1e-6, c.library.c_str());
  printf("\n%-40s %-10s %-16s %10s %s\n", "tensor", "kind", "shape", "offset", "in memory");
  for (const ManifestTensor &tensor : manifest.tensors)
    printf("%-40s %-10s %-16s %10lld %s\n", tensor.name.c_str(), kindText(tensor.kind), shapeText(tensor.shape).c_str(),
           (long long)tensor.offset, tensor.layout.permutation.empty() ? "as in ONNX" : "transposed");
}

void addInspect(CLI::App &app) {
  CLI::App *command = app.add_subcommand("inspect", "Looks into a cluster binary\n"
                                                    "Example: partyline inspect lenet.party");
  auto options = std::make_shared<InspectOptions>();
  command->add_option("party", options->party, "The cluster binary")->required();
  command->add_flag("--json", options->json, "Print the manifest");
  command->callback([options] { runInspect(*options); });
}

} // namespace partyline::commands
