//===- preprocess.cpp -----------------------------------------------------===//
#include "runtime/data/preprocess.h"

#include "runtime/shared/error.h"
#include "runtime/shared/file.h"
#include "runtime/shared/layout.h"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <type_traits>

namespace partyline::runtime {

/// No preset needs more than a few hundred bytes.
static constexpr int64_t kLargestPresetFile = 64 << 10;

static double numberAt(const nlohmann::json &value, const std::string &where) {
  if (!value.is_number())
    throw inputError(where + " must be a number");
  return value.get<double>();
}

static std::vector<double> numbersAt(const nlohmann::json &value, const std::string &where) {
  if (!value.is_array())
    throw inputError(where + " must be a list with one number per channel");
  std::vector<double> numbers;
  for (const nlohmann::json &element : value)
    numbers.push_back(numberAt(element, where));
  return numbers;
}

static ManifestPreprocess readPresetFile(const std::string &path) {
  std::string text;
  readWholeFile(path, kLargestPresetFile, text);
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception &error) {
    throw inputError(path + ": is not JSON: " + error.what());
  }
  if (!json.is_object())
    throw inputError(path + ": must be an object with divisor, mean and deviation");
  ManifestPreprocess preprocess;
  preprocess.name = path;
  for (const auto &[key, value] : json.items()) {
    std::string where = path + ": " + key;
    if (key == "divisor")
      preprocess.divisor = numberAt(value, where);
    else if (key == "mean")
      preprocess.mean = numbersAt(value, where);
    else if (key == "deviation")
      preprocess.deviation = numbersAt(value, where);
    else
      throw inputError(where + " is not known; the keys are divisor, mean and deviation");
  }
  size_t channels = preprocess.mean.empty() ? preprocess.deviation.size() : preprocess.mean.size();
  checkPreprocess(preprocess, channels);
  return preprocess;
}

ManifestPreprocess preprocessPreset(const std::string &nameOrFile) {
  if (nameOrFile == "none")
    return {};
  // CIFAR-10's training images: over all pixels of a channel, divided by 255. (Deviations of (0.2023, 0.1994, 0.2010),
  // often seen, are means of the single images' deviations.)
  if (nameOrFile == "cifar")
    return {"cifar", 255, {0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}};
  // As in PyTorch's examples/imagenet and torchvision's model weights.
  if (nameOrFile == "imagenet")
    return {"imagenet", 255, {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
  struct stat status;
  if (stat(nameOrFile.c_str(), &status) != 0)
    throw inputError("preprocessing '" + nameOrFile + "' is neither a preset (none, cifar, imagenet) nor a file");
  return readPresetFile(nameOrFile);
}

void checkPreprocess(const ManifestPreprocess &preprocess, int64_t channels) {
  auto check = [&](const std::vector<double> &values, const char *what, bool nonzero) {
    if (!values.empty() && int64_t(values.size()) != channels)
      throw inputError("preprocessing '" + preprocess.name + "' has " + std::to_string(values.size()) + " values of " +
                       what + ", but there are " + std::to_string(channels) + " channels: choose another --preprocess");
    for (double value : values)
      if (!std::isfinite(value) || (nonzero && value <= 0))
        throw inputError("preprocessing '" + preprocess.name + "': " + what + " has an impossible value");
  };
  check(preprocess.mean, "mean", false);
  check(preprocess.deviation, "deviation", true);
  if (!std::isfinite(preprocess.divisor) || preprocess.divisor <= 0)
    throw inputError("preprocessing '" + preprocess.name + "': the divisor must be a positive number");
}

int64_t channelsOf(const std::vector<int64_t> &sampleShape) { return sampleShape.size() == 3 ? sampleShape[0] : 1; }

Preprocessor::Preprocessor(const ManifestPreprocess &preprocess, const std::vector<int64_t> &sampleShape)
    : numberOfChannels(channelsOf(sampleShape)), divisor(preprocess.divisor), mean(preprocess.mean),
      deviation(preprocess.deviation) {
  checkPreprocess(preprocess, numberOfChannels);
  elementsPerChannel = elementCount(sampleShape) / numberOfChannels;
  mean.resize(numberOfChannels, 0);
  deviation.resize(numberOfChannels, 1);
  double byteDivisor = preprocess.name == "none" ? 255 : divisor;
  byteTables.resize(numberOfChannels);
  for (int64_t c = 0; c < numberOfChannels; ++c)
    for (int v = 0; v < 256; ++v)
      byteTables[c][v] = float((v / byteDivisor - mean[c]) / deviation[c]);
}

void Preprocessor::apply(const uint8_t *values, float *out) const {
  for (int64_t c = 0; c < numberOfChannels; ++c)
    for (int64_t i = 0; i < elementsPerChannel; ++i)
      *out++ = byteTables[c][*values++];
}

template <typename T> void Preprocessor::apply(const T *values, float *out) const {
  for (int64_t c = 0; c < numberOfChannels; ++c)
    for (int64_t i = 0; i < elementsPerChannel; ++i)
      *out++ = float((double(*values++) / divisor - mean[c]) / deviation[c]);
}

template void Preprocessor::apply(const float *, float *) const;
template void Preprocessor::apply(const double *, float *) const;
template void Preprocessor::apply(const int8_t *, float *) const;
template void Preprocessor::apply(const int16_t *, float *) const;
template void Preprocessor::apply(const uint16_t *, float *) const;
template void Preprocessor::apply(const int32_t *, float *) const;
template void Preprocessor::apply(const uint32_t *, float *) const;
template void Preprocessor::apply(const int64_t *, float *) const;
template void Preprocessor::apply(const uint64_t *, float *) const;

} // namespace partyline::runtime
