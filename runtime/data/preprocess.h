//===- preprocess.h - from stored values to what the network sees ---------===//
//
// A value v of channel c becomes (v / divisor - mean[c]) / deviation[c]. Presets:
//   none      values as they are, except that 8-bit data (images, IDX, uint8 arrays) is divided by 255, as PyTorch's
//             ToTensor does. A preset file with "divisor": 1 gives the bytes themselves.
//   cifar     divisor 255, CIFAR-10's mean and deviation
//   imagenet  divisor 255, ImageNet's mean and deviation
//   FILE      {"divisor": 255, "mean": [0.5, 0.5, 0.5], "deviation": [0.25, 0.25, 0.25]}; each may be left out
// A preset's divisor holds for whatever the data is: arrays of floats are not guessed to be scaled already.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/shared/manifest.h"

#include <array>

namespace partyline::runtime {

/// Throws an Error that names the file, or lists the presets where there is no such file.
ManifestPreprocess preprocessPreset(const std::string &nameOrFile);

/// Throws an Error unless mean and deviation are empty or have one value per channel, and all values are usable.
void checkPreprocess(const ManifestPreprocess &preprocess, int64_t channels);

/// The channels of a sample: the leading extent of {C, H, W}; 1 for samples of another rank.
int64_t channelsOf(const std::vector<int64_t> &sampleShape);

/// Applies a ManifestPreprocess. Computes in double, by division and subtraction alone: the same bits on every CPU.
class Preprocessor {
public:
  Preprocessor(const ManifestPreprocess &preprocess, const std::vector<int64_t> &sampleShape);

  int64_t channels() const { return numberOfChannels; }
  int64_t channelElements() const { return elementsPerChannel; }

  /// What each of the 256 bytes becomes in a channel.
  const std::array<float, 256> &byteTable(int64_t channel) const { return byteTables[channel]; }

  /// A sample of bytes in ONNX order.
  void apply(const uint8_t *values, float *out) const;
  /// A sample of any other number in ONNX order, as doubles or floats.
  template <typename T> void apply(const T *values, float *out) const;

private:
  int64_t numberOfChannels;
  int64_t elementsPerChannel;
  double divisor;
  std::vector<double> mean, deviation;
  std::vector<std::array<float, 256>> byteTables;
};

} // namespace partyline::runtime
