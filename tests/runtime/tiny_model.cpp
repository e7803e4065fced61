//===- tiny_model.cpp -----------------------------------------------------===//
#include "tests/runtime/tiny_model.h"

#include "runtime/data/npy.h"
#include "runtime/shared/hash.h"
#include "runtime/shared/manifest_json.h"
#include "tests/runtime/data_files.h"

#include <cstring>

namespace partyline::testing::tiny {

Manifest manifest() {
  Manifest result;
  result.modelHash = std::string(32, 'a');
  result.modelName = "tiny";
  result.producer = "partyline test";
  result.tensors = {{"w", {kClasses, kInputs}, {{kClasses, kInputs}, {1, 0}}, TensorKind::parameter, kWeight, 48},
                    {"b", {kClasses}, {}, TensorKind::parameter, kBias, kClasses},
                    {"running", {kClasses}, {}, TensorKind::state, kRunning, kClasses}};
  result.weightElements = kWeightElements;
  result.gradientElements = kGradientElements;
  result.optimizerSlots = {"momentum"};
  result.buckets = {{0, kBias, "ring"}, {kBias, kGradientElements, "ring"}};
  result.numberOfClasses = kClasses;
  result.options.learningRate = 0.1;
  result.options.momentum = kMomentumFactor;
  result.options.globalBatch = 8;
  result.options.seed = 3;

  ManifestClass device;
  device.name = "this machine";
  device.target = "host";
  device.library = "step-host.so";
  device.planHash = kPlanHash;
  device.microBatch = kMicroBatch;
  device.threads = 2;
  device.arenaBytes = kArenaBytes;
  device.weightsOffset = kWeights;
  device.gradientsOffset = kGradients;
  device.optimizerOffsets = {kMomentum};
  device.readyAfter = {2, 3};
  device.input = device.evaluateInput = {"x", {2, 2, 4}, {{2, 2, 4}, {1, 2, 0}}, kInput};
  device.labels = device.evaluateLabels = {"labels", {}, {}, kLabels};
  device.sampleIds = {"sample_ids", {}, {}, kSampleIds};
  device.loss = device.evaluateLoss = {"loss", {}, {}, kLoss};
  device.logits = device.evaluateLogits = {"logits", {kClasses}, {}, kLogits};
  device.plannedPeakBytes = 1 << 20;
  result.classes = {device};
  return result;
}

std::vector<float> initialWeights() {
  std::vector<float> weights(kWeightElements, 0.0f);
  for (int64_t e = 0; e < kBias; ++e)
    weights[size_t(e)] = float(e % 7) * 0.02f - 0.05f;
  return weights;
}

Manifest writeBinary(const std::string &folder, const std::string &library, Manifest result) {
  const std::vector<float> weights = initialWeights();
  const std::string bytes(reinterpret_cast<const char *>(weights.data()), weights.size() * sizeof(float));
  writeFile(folder + "/parameters.bin", bytes);
  writeFile(folder + "/" + result.classes[0].library, library.empty() ? "none" : readFile(library));
  result.parametersHash = hashBytes(bytes.data(), bytes.size());
  result.classes[0].hash = hashFile(folder + "/" + result.classes[0].library);
  result.hash = manifestHash(result);
  writeFile(folder + "/manifest.json", manifestToJson(result));
  return result;
}

/// A .npy file of int32.
static void writeLabels(const std::string &path, const std::vector<int32_t> &labels) {
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (" + std::to_string(labels.size()) + ",), }";
  header.resize(118 - 1, ' ');
  header += "\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += char(header.size());
  bytes += '\0';
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(labels.data()), labels.size() * sizeof(int32_t));
  writeFile(path, bytes);
}

static void writePair(const std::string &folder, const std::string &suffix, int64_t samples, uint32_t seed) {
  std::vector<float> x(size_t(samples * kInputs));
  std::vector<int32_t> y(static_cast<size_t>(samples));
  for (int64_t n = 0; n < samples; ++n) {
    y[size_t(n)] = int32_t(n * 7 % 3);
    for (int64_t i = 0; i < kInputs; ++i) {
      seed = seed * 1664525 + 1013904223;
      x[size_t(n * kInputs + i)] = float(seed >> 8) / float(1 << 24) + (i % 3 == y[size_t(n)] ? 1.0f : 0.0f);
    }
  }
  runtime::writeNpy(folder + "/x" + suffix + ".npy", {samples, 2, 2, 4}, x.data());
  writeLabels(folder + "/y" + suffix + ".npy", y);
}

std::string writeData(const std::string &folder, int64_t samples, int64_t testSamples) {
  writePair(folder, "", samples, 1);
  std::string paths = folder + "/x.npy," + folder + "/y.npy";
  if (testSamples == 0)
    return paths;
  writePair(folder, "_test", testSamples, 2);
  return paths + "," + folder + "/x_test.npy," + folder + "/y_test.npy";
}

} // namespace partyline::testing::tiny
