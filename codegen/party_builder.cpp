//===- codegen/party_builder.cpp - a planned model as a cluster binary ----===//
#include "codegen/party_builder.h"

#include "codegen/kernel_library.h"
#include "codegen/lower_step.h"
#include "codegen/step_library.h"
#include "passes/pipeline.h"
#include "runtime/shared/hash.h"
#include "runtime/shared/step_abi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partyline::codegen {

static TensorKind kindOf(StringRef kind) {
  return kind == kParameterKind ? TensorKind::parameter : kind == kStateKind ? TensorKind::state : TensorKind::constant;
}

// The weight arena's tensors, by offset. Every phase names its weights; the same ones in the same places.
static std::vector<ManifestTensor> tensorTable(ModuleOp module) {
  std::map<int64_t, ManifestTensor> tensors;
  for (func::FuncOp phase : module.getOps<func::FuncOp>())
    for (auto op : phase.getOps<party::ParameterOp>()) {
      ManifestTensor tensor;
      tensor.name = op.getName().str();
      tensor.shape.assign(op.getOnnxShape().begin(), op.getOnnxShape().end());
      if (op.getView())
        tensor.layout = {std::vector<int64_t>(*op.getView()), std::vector<int64_t>(*op.getPermutation())};
      tensor.kind = kindOf(op.getKind());
      tensor.offset = int64_t(*op.getOffset());
      tensor.elements = elementCount(op.getType()).fixed;
      tensors[tensor.offset] = std::move(tensor);
    }
  std::vector<ManifestTensor> table;
  for (auto &[offset, tensor] : tensors)
    table.push_back(std::move(tensor));
  return table;
}

// An argument or returned value of a phase as the worker sees it: one sample of it.
static ManifestBuffer bufferOf(const std::string &name, Value value, const ArenaSections &sections) {
  ManifestBuffer buffer;
  buffer.name = name;
  auto type = cast<RankedTensorType>(value.getType());
  buffer.shape.assign(type.getShape().begin() + 1, type.getShape().end());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (auto view = function.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(), kInputView)) {
      auto permutation = function.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(), kInputPermutation);
      buffer.shape.assign(view.asArrayRef().begin(), view.asArrayRef().end());
      buffer.layout = {std::vector<int64_t>(view.asArrayRef()), std::vector<int64_t>(permutation.asArrayRef())};
    }
  }
  buffer.offset = placeOf(value, sections);
  return buffer;
}

// How the worker makes one number of the losses.
static ManifestReduction reductionOf(ModuleOp module) {
  const LossReduction loss = lossOf(phaseFunction(module, kForwardBackwardFunction)).getLossReduction();
  ManifestReduction reduction{loss.name, loss.ignoreIndex, ""};
  if (loss.classWeights)
    reduction.classWeights = loss.classWeights.getDefiningOp<party::ParameterOp>().getName().str();
  return reduction;
}

// Identifies the program a step library was emitted from: the module with all places in it,
// its kernels and the target.
static std::string planHash(ModuleOp module, const StepProgram &program, const std::string &target) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo(true));
  for (const KernelSpec &kernel : kernelsOf(program))
    stream << kernelSymbol(kernel);
  stream << target << PARTYLINE_VERSION << kStepAbiVersion;
  return hashBytes(text.data(), text.size());
}

static ManifestClass describeClass(ModuleOp module, const PlannedClass &planned, const Plan &plan,
                                   const BuildOptions &options, const ArenaSections &sections,
                                   const LoweredStep &step) {
  ManifestClass result;
  result.name = planned.device;
  result.microBatch = planned.microBatch;
  result.arenaBytes = sections.total;
  result.weightsOffset = sections.weights;
  result.gradientsOffset = sections.gradients;
  result.optimizerOffsets = sections.optimizer;
  result.plannedPeakBytes = planned.memory.peak();
  for (int64_t end : plan.bucketEnds) {
    int64_t ready = 0;
    for (auto [first, after] : step.readyAfter)
      if (first < end)
        ready = std::max(ready, after);
    result.readyAfter.push_back(ready);
  }
  func::FuncOp train = phaseFunction(module, kForwardBackwardFunction);
  func::FuncOp evaluate = phaseFunction(module, kEvaluateFunction);
  Operation *trainEnd = train.getBody().front().getTerminator();
  Operation *evaluateEnd = evaluate.getBody().front().getTerminator();
  result.input = bufferOf(options.inputName, train.getArgument(0), sections);
  result.sampleIds = bufferOf("sample_ids", train.getArgument(1), sections);
  result.labels = bufferOf("labels", train.getArgument(2), sections);
  result.loss = bufferOf("loss", trainEnd->getOperand(0), sections);
  result.logits = bufferOf(options.outputName, trainEnd->getOperand(1), sections);
  result.evaluateInput = bufferOf(options.inputName, evaluate.getArgument(0), sections);
  result.evaluateLabels = bufferOf("labels", evaluate.getArgument(2), sections);
  result.evaluateLoss = bufferOf("loss", evaluateEnd->getOperand(0), sections);
  result.evaluateLogits = bufferOf(options.outputName, evaluateEnd->getOperand(1), sections);
  return result;
}

PartyContents buildParty(ModuleOp module, const Cluster &cluster, const Plan &plan, const BuildOptions &options,
                         const std::filesystem::path &workFolder) {
  PartyContents contents;
  Manifest &manifest = contents.manifest;
  manifest.modelName = plan.report.model;
  manifest.producer = std::string("partyline ") + PARTYLINE_VERSION;
  manifest.tensors = tensorTable(module);
  manifest.weightElements = module->getAttrOfType<IntegerAttr>(kWeightElements).getInt();
  manifest.gradientElements = module->getAttrOfType<IntegerAttr>(kGradientElements).getInt();
  for (Attribute slot : module->getAttrOfType<ArrayAttr>(kOptimizerSlots))
    manifest.optimizerSlots.push_back(cast<StringAttr>(slot).str());
  int64_t first = 0;
  for (auto [bucket, end] : llvm::zip_equal(plan.buckets, plan.bucketEnds)) {
    manifest.buckets.push_back({first, end, bucket.algorithm});
    first = end;
  }
  for (size_t rank = 0; rank < cluster.hosts.size(); ++rank) {
    const ClusterHost &host = cluster.hosts[rank];
    manifest.hosts.push_back({host.name, host.address, host.device, plan.shares[rank]});
  }
  manifest.options = options.training;
  manifest.options.globalBatch = plan.globalBatch;
  manifest.reduction = reductionOf(module);
  manifest.preprocess = options.preprocess;

  for (const PlannedClass &planned : plan.classes) {
    const ClusterDevice &device = cluster.devices.at(planned.device);
    std::string target = resolveTarget(device.target);
    runArena(module, planned.microBatch);
    ArenaSections sections = arenaSections(module);
    LoweredStep step = lowerStep(module, sections);
    if (options.choice)
      applyChoice(step.program, [&](const std::string &symbol) { return options.choice(planned.device, symbol); });
    ManifestClass description = describeClass(module, planned, plan, options, sections, step);
    description.target = target;
    description.threads = device.threads;
    description.planHash = planHash(module, step.program, target);
    std::filesystem::path library = workFolder / ("step-" + planned.device + ".so");
    buildStepLibrary(step.program, target, description.planHash, library, options.jobs,
                     [&](size_t done, size_t missing) {
                       if (options.progress)
                         options.progress(planned.device, done, missing);
                     });
    contents.libraries[planned.device] = library;
    manifest.numberOfClasses = description.logits.shape.empty() ? 0 : description.logits.shape.front();
    manifest.classes.push_back(std::move(description));
  }
  return contents;
}

} // namespace partyline::codegen
