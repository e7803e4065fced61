//===- tools/commands/compiling.cpp - what plan and compile share ---------===//
#include "tools/commands/compiling.h"

#include "frontend/cluster_file.h"
#include "frontend/onnx_model.h"
#include "frontend/units.h"
#include "runtime/shared/error.h"
#include "runtime/shared/file.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

using namespace mlir;

namespace partyline::commands {

static std::vector<std::string> stageNames() {
  std::vector<std::string> names;
  for (const Stage &stage : stages())
    names.push_back(stage.name);
  return names;
}

void addCompileOptions(CLI::App &command, CompileOptions &options) {
  command.add_option("model", options.model, "The ONNX model")->required();
  command.add_option("--cluster", options.cluster, "The cluster file (YAML); without it: this machine");
  command.add_option("-n,--ranks", options.ranks, "Ranks on this machine, where the cluster names no hosts")
      ->check(CLI::Range(1, 4096));
  addTrainingOptions(command, options);
  command
      .add_option("--global-batch", options.globalBatch, "Samples per step on all ranks; without it: what fills them")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 30));
  command.add_option("--micro-batch", options.microBatch, "Samples per call on a rank: auto or a number");
  command.add_option("--memory-limit", options.memoryLimit, "Of one worker, as 512MB; without it: the device's");
  command.add_option("--batchnorm-batch", options.batchNormBatch, "Smallest micro-batch for BatchNorm's statistics")
      ->check(CLI::Range(1, 65536));
  command.add_option("--seed", options.seed, "Of sampling and dropout")->check(CLI::NonNegativeNumber);
  command.add_flag("--no-shuffle", options.noShuffle, "Take the samples in the order of the data");
  command.add_option("--preprocess", options.preprocess, "none, cifar, imagenet or a JSON file");
  command.add_option("--dump-stages", options.dumpStages, "Write the IR of every stage into this folder");
  command.add_option("--compile-to", options.compileTo, "Stop at this stage and print its IR")
      ->check(CLI::IsMember(stageNames()));
  command.add_flag("-v,--verbose", options.verbose, "Say more");
}

static std::string irText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

static int64_t microBatchOf(const CompileOptions &options) {
  if (options.microBatch == "auto")
    return 0;
  char *end = nullptr;
  long long value = strtoll(options.microBatch.c_str(), &end, 10);
  if (*end || value < 1 || value > (1 << 20))
    throw inputError("--micro-batch must be auto or a positive number, not '" + options.microBatch + "'");
  return value;
}

void writeText(const std::string &file, const std::string &text) {
  if (file.empty() || file == "-") {
    fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  AtomicFile output(file);
  output.write(text.data(), text.size());
  output.commit();
}

static std::string counted(int64_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? " layer" : " layers");
}

// How BatchNorm layers are trained.
static std::string describeMode(const std::string &batchNorm) {
  if (batchNorm == "frozen")
    return "frozen: they normalise by their stored statistics, which stay";
  return std::string("they normalise by the statistics of the micro-batch; running variance as ") +
         (batchNorm == "torch" ? "PyTorch's, unbiased" : "ONNX's, of the population");
}

// The loss that the model brings, for the plan.
static std::string ownLossNote(const ImportedModel &model) {
  const LossReduction reduction = lossOf(phaseFunction(*model.module, kForwardBackwardFunction)).getLossReduction();
  std::string note = "the loss is the model's own: " + model.loss + ", reduction " + reduction.name;
  if (reduction.name == "none")
    note += " (a step takes the mean)";
  if (reduction.ignoreIndex)
    note += ", ignoring label " + std::to_string(*reduction.ignoreIndex);
  return note + (reduction.classWeights ? ", with class weights" : "");
}

// For the plan, where cross-entropy is of what goes into the model's last Softmax.
static std::string softmaxNote(ModuleOp module) {
  Operation *end = phaseFunction(module, kForwardBackwardFunction).getBody().front().getTerminator();
  if (!isa_and_nonnull<party::CrossEntropyOp>(end->getOperand(0).getDefiningOp()) ||
      !isa_and_nonnull<party::SoftmaxOp, party::LogSoftmaxOp>(end->getOperand(1).getDefiningOp()))
    return "";
  return "the output is a Softmax, which cross-entropy contains: the loss is of its input";
}

// What the plan should say of the model besides numbers.
static void addNotes(const ImportedModel &model, const TrainingOptions &training, planner::Report &report) {
  if (model.batchNorms > 0)
    report.notes.push_back(counted(model.batchNorms, "BatchNorm") + ", " + describeMode(training.batchNorm));
  else if (model.convolutions > 0 && model.convolutions == model.biasedConvolutions && model.producer != "partyline")
    // What an exporter leaves of BatchNorm behind a convolution is a bias.
    report.notes.push_back("no BatchNorm layer, and every convolution has a bias: if the network has BatchNorm, its "
                           "exporter folded it into them; the documentation shows how to export it as it is");
  if (model.batchNorms == 0 && training.batchNorm != "train")
    report.warnings.push_back("--batchnorm " + training.batchNorm +
                              " changes nothing: the model has no BatchNorm layer");
  if (model.dropouts > 0)
    report.notes.push_back(counted(model.dropouts, "Dropout"));
  if (const std::string note = softmaxNote(*model.module); !note.empty())
    report.notes.push_back(note);
  if (!model.loss.empty())
    report.notes.push_back(ownLossNote(model));
  if (auto frozen = (*model.module)->getAttrOfType<IntegerAttr>(kFrozenParameters))
    report.notes.push_back("not trained, frozen: " + std::to_string(frozen.getInt()) + " parameter tensors");
  if (!model.shared.empty())
    report.notes.push_back("used by several nodes, each trained as one tensor: " + llvm::join(model.shared, ", "));
  if (!model.constants.empty())
    report.notes.push_back("not trained, taken as constants: " + llvm::join(model.constants, ", "));
}

Compilation planModel(const CompileOptions &options) {
  Compilation result;
  checkTrainingOptions(options.training);
  int64_t microBatch = microBatchOf(options);
  int64_t memoryLimit = options.memoryLimit.empty() ? 0 : parseBytes(options.memoryLimit);
  result.cluster = options.cluster.empty() ? localCluster(options.ranks) : parseCluster(options.cluster);
  OnnxGraph graph = loadOnnxModel(options.model);

  DialectRegistry registry;
  registerDialects(registry);
  result.context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  result.context->loadAllAvailableDialects();
  result.model = importModel(graph, *result.context);
  ModuleOp module = *result.model.module;
  if (!options.dumpStages.empty())
    std::filesystem::create_directories(options.dumpStages);
  int number = 0;
  try {
    runPipeline(module, options.training, options.compileTo, [&](const std::string &stage) {
      const std::string file = std::to_string(number++) + "-" + stage + ".mlir";
      if (!options.dumpStages.empty())
        writeText((std::filesystem::path(options.dumpStages) / file).string(), irText(module));
    });
  } catch (const Error &error) {
    throw Error(error.exitCode, options.model + ": " + error.what());
  }
  if (!options.compileTo.empty()) {
    writeText("", irText(module));
    result.stopped = true;
    return result;
  }

  PlanOptions plan;
  plan.modelName = std::filesystem::path(options.model).stem().string();
  plan.globalBatch = options.globalBatch;
  plan.microBatch = microBatch;
  plan.memoryLimit = memoryLimit;
  plan.batchNormMinimum = options.batchNormBatch;
  plan.learningRate = options.learningRate;
  plan.ranks = options.ranks;
  result.plan = makePlan(module, result.cluster, plan);
  addNotes(result.model, options.training, result.plan.report);
  return result;
}

} // namespace partyline::commands
