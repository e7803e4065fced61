//===- tiny_model.h - a cluster binary made by hand -----------------------===//
//
// logits = x w + b on 16 inputs and 3 classes, cross-entropy, sgd with momentum for w; and a state that follows the
// mean of the logits, as BatchNorm's running mean follows its input's. tiny_step.cpp is its step library.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/shared/manifest.h"

#include <string>
#include <vector>

namespace partyline::testing::tiny {

// Elements of the weight and gradient arenas.
inline constexpr int64_t kInputs = 16, kClasses = 3, kMicroBatch = 4;
inline constexpr int64_t kWeight = 0, kBias = 48, kRunning = 64, kGradientElements = 80, kWeightElements = 80;
// Bytes in the arena.
inline constexpr int64_t kWeights = 0, kGradients = 320, kMomentum = 640, kInput = 960;
inline constexpr int64_t kLabels = kInput + 4 * kInputs * kMicroBatch, kSampleIds = kLabels + 64;
inline constexpr int64_t kLoss = kSampleIds + 64, kLogits = kLoss + 64, kProbabilities = kLogits + 64;
inline constexpr int64_t kArenaBytes = kProbabilities + 64;
inline constexpr float kMomentumFactor = 0.9f, kRate = 0.8f;
inline constexpr const char *kPlanHash = "tiny plan";

/// Complete but for the hashes of files.
Manifest manifest();

std::vector<float> initialWeights();

/// Writes a .party folder. Returns the manifest as written.
Manifest writeBinary(const std::string &folder, const std::string &library, Manifest manifest);

/// Writes x.npy and y.npy (`samples` of 2x2x4, labels 0..2 that a linear model can learn), and with `testSamples` a
/// second pair. Returns what --data wants.
std::string writeData(const std::string &folder, int64_t samples, int64_t testSamples);

} // namespace partyline::testing::tiny
