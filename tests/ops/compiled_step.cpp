//===- compiled_step.cpp --------------------------------------------------===//
#include "tests/ops/compiled_step.h"

#include "codegen/party_builder.h"
#include "passes/plan.h"
#include "runtime/shared/hash.h"
#include "runtime/shared/layout.h"
#include "runtime/threads/halide_hooks.h"
#include "runtime/threads/thread_pool.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

using namespace mlir;

namespace partyline::ops_test {

/// This machine as one worker.
static Cluster oneWorker() {
  ClusterDevice device;
  device.name = "local";
  device.target = "host";
  device.memory = int64_t(1) << 32;
  device.compute = {10, 10e9};
  Cluster cluster;
  cluster.network.link = {1e9, 1e-5};
  cluster.devices.emplace(device.name, device);
  return cluster;
}

CompiledStep::CompiledStep(const Model &model, int64_t microBatch) {
  setenv("PARTYLINE_CACHE", TEST_KERNEL_CACHE, /*overwrite=*/0);
  static runtime::ThreadPool threads(2);
  runtime::setKernelThreads(&threads);
  OwningOpRef<ModuleOp> module = model.module.get().clone();
  runPipeline(*module, model.training);
  const Cluster cluster = oneWorker();
  PlanOptions planOptions;
  planOptions.globalBatch = planOptions.microBatch = microBatch;
  planOptions.batchNormMinimum = 1;
  const Plan plan = makePlan(*module, cluster, planOptions);
  codegen::PartyContents contents = codegen::buildParty(*module, cluster, plan, {}, folder.path());

  manifest = std::move(contents.manifest);
  const std::string file = contents.libraries.at(deviceClass().name).string();
  manifest.classes.front().hash = hashFile(file);
  library.emplace(file, manifest, deviceClass());
  arena.emplace(deviceClass().arenaBytes);
  steps.emplace(library->tables(), deviceClass(), *arena);

  std::fill_n(arena->at<float>(0), arena->bytes() / int64_t(sizeof(float)), std::numeric_limits<float>::quiet_NaN());
  for (int64_t slot : deviceClass().optimizerOffsets)
    std::fill_n(arena->at<float>(slot), manifest.gradientElements, 0.0f);
  for (const ManifestTensor &tensor : manifest.tensors) {
    const Tensor &weight = model.weights.at(tensor.name);
    const std::vector<float> values(weight.data.begin(), weight.data.end());
    storeInLayout(values.data(), tensor.shape, tensor.layout,
                  arena->at<float>(deviceClass().weightsOffset) + tensor.offset);
  }
}

void CompiledStep::store(const Batch &batch, const ManifestBuffer &input, const ManifestBuffer &labels) {
  const int64_t elements = elementCount(input.shape);
  const std::vector<float> values(batch.inputs.data.begin(), batch.inputs.data.end());
  for (int64_t i = 0; i < batch.size(); ++i)
    storeInLayout(values.data() + i * elements, input.shape, input.layout,
                  arena->at<float>(input.offset) + i * elements);
  if (batch.targets.size() > 0)
    std::copy(batch.targets.data.begin(), batch.targets.data.end(), arena->at<float>(labels.offset));
  else
    std::copy(batch.labels.begin(), batch.labels.end(), arena->at<int32_t>(labels.offset));
}

Answers CompiledStep::answers(int64_t samples, const ManifestBuffer &logits, const ManifestBuffer &loss) const {
  const auto tensorOf = [&](Shape shape) {
    shape.insert(shape.begin(), samples);
    return Tensor(shape);
  };
  Answers result{tensorOf(logits.shape), tensorOf(loss.shape)};
  std::copy_n(arena->at<float>(logits.offset), result.logits.size(), result.logits.data.begin());
  std::copy_n(arena->at<float>(loss.offset), result.losses.size(), result.losses.data.begin());
  return result;
}

Answers CompiledStep::forwardBackward(const Batch &batch, float scale, bool accumulate) {
  store(batch, deviceClass().input, deviceClass().labels);
  std::copy(batch.sampleIds.begin(), batch.sampleIds.end(), arena->at<int32_t>(deviceClass().sampleIds.offset));
  StepCall call{};
  call.samples = int32_t(batch.size());
  call.accumulate = accumulate;
  call.scale = scale;
  call.sampleWeight = float(batch.size()) * scale;
  call.seed = 7;
  call.step = stepNumber;
  steps->forwardBackward(call, nullptr);
  return answers(batch.size(), deviceClass().logits, deviceClass().loss);
}

Answers CompiledStep::evaluate(const Batch &batch) {
  store(batch, deviceClass().evaluateInput, deviceClass().evaluateLabels);
  StepCall call{};
  call.samples = int32_t(batch.size());
  call.scale = 1;
  call.sampleWeight = float(batch.size());
  steps->evaluate(call);
  return answers(batch.size(), deviceClass().evaluateLogits, deviceClass().evaluateLoss);
}

void CompiledStep::update(float learningRate) {
  StepCall call{};
  call.learningRate = learningRate;
  call.step = stepNumber;
  steps->update(call, 0, manifest.gradientElements);
}

std::map<std::string, Tensor> CompiledStep::tensorsAt(int64_t offset, int64_t elements) const {
  std::map<std::string, Tensor> result;
  for (const ManifestTensor &tensor : manifest.tensors) {
    if (tensor.offset >= elements)
      continue;
    std::vector<float> values(size_t(tensor.elements));
    loadFromLayout(arena->at<float>(offset) + tensor.offset, tensor.shape, tensor.layout, values.data());
    result.emplace(tensor.name, Tensor(tensor.shape, values));
  }
  return result;
}

std::map<std::string, Tensor> CompiledStep::gradients() const {
  return tensorsAt(deviceClass().gradientsOffset, manifest.gradientElements);
}

std::map<std::string, Tensor> CompiledStep::weights() const {
  return tensorsAt(deviceClass().weightsOffset, manifest.weightElements);
}

TensorKind CompiledStep::kindOf(const std::string &name) const {
  for (const ManifestTensor &tensor : manifest.tensors)
    if (tensor.name == name)
      return tensor.kind;
  return TensorKind::constant;
}

} // namespace partyline::ops_test
