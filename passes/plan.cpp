//===- passes/plan.cpp - the plan of a model on a cluster -----------------===//
#include "passes/plan.h"

#include "passes/liveness.h"
#include "runtime/shared/error.h"
#include "runtime/shared/footprint.h"

using namespace mlir;

namespace partyline {

namespace {

/// What the planner has to know of a module.
struct ModelFacts {
  std::vector<planner::OpWork> ops; ///< of forward and backward
  std::vector<std::string> tensors; ///< of the gradient arena, in its order
  std::vector<int64_t> tensorFirst; ///< first elements
  std::vector<int64_t> readyAfter;  ///< index into ops
  std::vector<bool> isState;
  int64_t gradientElements = 0, weightElements = 0;
  int64_t optimizerSlots = 0;
  int64_t sampleElements = 0; ///< floats of one sample
  int64_t targetElements = 0; ///< numbers, or the label, that its output is compared with
  int64_t parameters = 0;     ///< trained scalars, padding not counted
  int64_t parameterTensors = 0;
  bool batchNorm = false; ///< has running statistics
  Liveness train, evaluate;
};

} // namespace

static planner::OpWork workOf(Operation *op) {
  planner::OpWork work;
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    work.name = name.getName().str();
  OpCost cost = cast<party::KernelOpInterface>(op).getCost();
  work.flopsPerSample = cost.perSample;
  work.flops = cost.fixed;
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values) {
      auto [perSample, fixed] = tensorBytes(cast<RankedTensorType>(value.getType()));
      work.bytesPerSample += double(perSample);
      work.bytes += double(fixed);
    }
  return work;
}

static ModelFacts gatherFacts(ModuleOp module) {
  ModelFacts facts;
  func::FuncOp train = phaseFunction(module, kForwardBackwardFunction);
  facts.gradientElements = module->getAttrOfType<IntegerAttr>(kGradientElements).getInt();
  facts.weightElements = module->getAttrOfType<IntegerAttr>(kWeightElements).getInt();
  facts.optimizerSlots = int64_t(module->getAttrOfType<ArrayAttr>(kOptimizerSlots).size());
  facts.sampleElements = elementCount(cast<RankedTensorType>(train.getArgument(0).getType())).perSample;
  facts.targetElements = elementCount(cast<RankedTensorType>(train.getArgument(2).getType())).perSample;
  facts.train = computeLiveness(train);
  facts.evaluate = computeLiveness(phaseFunction(module, kEvaluateFunction));

  struct Store {
    int64_t first, readyAfter;
    party::StoreOpInterface op;
  };
  std::vector<Store> stores;
  for (Operation &op : train.getBody().front()) {
    if (auto kernelOp = dyn_cast<party::KernelOpInterface>(op); kernelOp && !kernelOp.getKernelCalls().empty())
      facts.ops.push_back(workOf(&op));
    if (auto store = dyn_cast<party::StoreOpInterface>(op))
      stores.push_back({op.getAttrOfType<IntegerAttr>("offset").getInt(), int64_t(facts.ops.size()) - 1, store});
  }
  llvm::sort(stores, [](const Store &a, const Store &b) { return a.first < b.first; });
  for (Store &store : stores) {
    facts.tensors.push_back(store.op.getStoredTensor().str());
    facts.tensorFirst.push_back(store.first);
    facts.readyAfter.push_back(store.readyAfter);
    facts.isState.push_back(store.op.getMovingAverageRate().has_value());
    facts.batchNorm |= facts.isState.back();
    if (!facts.isState.back()) {
      facts.parameters += elementCount(cast<RankedTensorType>(store.op->getOperand(0).getType())).fixed;
      ++facts.parameterTensors;
    }
  }
  return facts;
}

static int64_t elementsOfTensor(const ModelFacts &facts, size_t index) {
  int64_t end = index + 1 < facts.tensorFirst.size() ? facts.tensorFirst[index + 1] : facts.gradientElements;
  return end - facts.tensorFirst[index];
}

// The activations' bytes: the higher of the two phases' arenas.
static int64_t activationBytes(const ModelFacts &facts, int64_t samples) {
  return std::max(planner::solveArena(facts.train.problem(samples)).height,
                  planner::solveArena(facts.evaluate.problem(samples)).height);
}

static int64_t activationBound(const ModelFacts &facts, int64_t samples) {
  return std::max(planner::arenaLowerBound(facts.train.problem(samples)),
                  planner::arenaLowerBound(facts.evaluate.problem(samples)));
}

// A worker's memory at capacity b. What kernels pack and stage while they run (at most one operator's weights, and some
// rows a thread) is less than the copy of all weights that a checkpoint takes, and never there at the same time. The
// scratch of the ring is that of one bucket with everything: never less than what the packing, not known yet, will
// need.
static planner::MemoryBreakdown memoryOf(const ModelFacts &facts, int64_t microBatch, int64_t ranks) {
  constexpr int64_t width = sizeof(float);
  planner::MemoryBreakdown memory;
  memory.parameters = facts.weightElements * width;
  memory.gradients = facts.gradientElements * width;
  memory.optimizer = facts.gradientElements * width * facts.optimizerSlots;
  memory.activations = activationBytes(facts, microBatch);
  memory.communication = ringScratchBytes(facts.gradientElements, ranks);
  memory.data = batchReaderBytes(microBatch, facts.sampleElements, facts.targetElements);
  memory.footprint = kWorkerBaseBytes + checkpointBytes(facts.gradientElements, facts.optimizerSlots);
  return memory;
}

static planner::StepProblem makeStepProblem(const ModelFacts &facts, const Cluster &cluster,
                                            const std::vector<std::string> &devices,
                                            const planner::MicroBatchSolution &batches,
                                            const std::vector<int> &classOf) {
  planner::StepProblem step;
  for (auto [device, batch] : llvm::zip_equal(devices, batches.classes)) {
    planner::StepClass stepClass;
    stepClass.name = device;
    stepClass.compute = cluster.devices.at(device).compute;
    stepClass.ops = facts.ops;
    stepClass.readyAfter = facts.readyAfter;
    stepClass.microBatch = batch.microBatch;
    stepClass.samples = std::max<int64_t>(batch.samples, 1);
    step.classes.push_back(std::move(stepClass));
  }
  step.classOf = classOf;
  step.tensors = facts.tensors;
  for (size_t i = 0; i < facts.tensors.size(); ++i)
    step.tensorBytes.push_back(elementsOfTensor(facts, i) * int64_t(sizeof(float)));
  step.network = planner::networkModel(cluster, int64_t(classOf.size()));
  step.globalBatch = batches.globalBatch;
  // The gradient is read; the weight and the optimizer's slots are read and written.
  step.updateBytesPerGradientByte = double(3 + 2 * facts.optimizerSlots);
  return step;
}

Plan makePlan(ModuleOp module, const Cluster &cluster, const PlanOptions &options) {
  ModelFacts facts = gatherFacts(module);
  std::vector<std::string> devices;
  std::vector<int> classOf;
  auto addRank = [&](const std::string &device) {
    auto known = llvm::find(devices, device);
    classOf.push_back(int(known - devices.begin()));
    if (known == devices.end())
      devices.push_back(device);
  };
  for (const ClusterHost &host : cluster.hosts)
    addRank(host.device);
  if (cluster.hosts.empty())
    for (int64_t rank = 0; rank < options.ranks; ++rank)
      addRank(cluster.devices.begin()->first);

  planner::MicroBatchProblem problem;
  for (const std::string &name : devices) {
    const ClusterDevice &device = cluster.devices.at(name);
    int64_t limit = options.memoryLimit ? std::min(options.memoryLimit, device.memory) : device.memory;
    problem.classes.push_back({name, limit,
                               [&facts, &classOf](int64_t b) { return memoryOf(facts, b, int64_t(classOf.size())); },
                               [&facts, compute = device.compute](int64_t samples) {
                                 return planner::microBatchSeconds(facts.ops, samples, compute);
                               }});
  }
  problem.classOf = classOf;
  problem.globalBatch = options.globalBatch;
  problem.fixedMicroBatch = options.microBatch;
  problem.batchNormMinimum = facts.batchNorm ? options.batchNormMinimum : 0;
  problem.learningRate = options.learningRate;
  planner::MicroBatchSolution batches = planner::solveMicroBatch(problem);

  planner::StepProblem step = makeStepProblem(facts, cluster, devices, batches, classOf);
  planner::StepPlan stepPlan = planner::planStep(step);
  std::vector<planner::ScalingPoint> scaling = planner::scalingTable(step);

  Plan plan;
  plan.globalBatch = batches.globalBatch;
  plan.shares = batches.shares;
  plan.buckets = stepPlan.packing.buckets;
  for (const planner::Bucket &bucket : plan.buckets)
    plan.bucketEnds.push_back(size_t(bucket.last) < facts.tensorFirst.size() ? facts.tensorFirst[bucket.last]
                                                                             : facts.gradientElements);
  plan.report.model = options.modelName;
  plan.report.parameters = {facts.parameters, facts.parameters * int64_t(sizeof(float)), facts.parameterTensors};
  plan.report.globalBatch = batches.globalBatch;
  plan.report.warnings = batches.warnings;
  for (size_t i = 0; i < devices.size(); ++i) {
    const planner::ClassBatch &batch = batches.classes[i];
    plan.classes.push_back({devices[i], batch.microBatch, batch.memory});
    planner::ReportDevice device;
    device.count = llvm::count(classOf, int(i));
    device.microBatch = batch.microBatch;
    device.accumulation = batch.accumulation;
    device.memory =
        planner::reportMemory(batch.memory, problem.classes[i].memoryLimit, activationBound(facts, batch.microBatch));
    plan.report.devices[devices[i]] = device;
  }
  planner::addStep(plan.report, stepPlan, scaling);
  for (const std::string &warning : planner::scalingWarnings(scaling))
    plan.report.warnings.push_back(warning);
  return plan;
}

} // namespace partyline
