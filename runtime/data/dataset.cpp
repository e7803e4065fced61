//===- dataset.cpp - which reader a path goes to --------------------------===//
#include "runtime/data/dataset.h"

#include "runtime/data/preprocess.h"
#include "runtime/data/readers.h"
#include "runtime/shared/error.h"
#include "runtime/shared/layout.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

namespace partyline::runtime {

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape) {
    if (!text.empty())
      text += 'x';
    text += std::to_string(extent);
  }
  return text.empty() ? "scalar" : text;
}

void checkSampleShape(const std::vector<int64_t> &found, const std::vector<int64_t> &expected,
                      const std::string &file) {
  auto withoutOnes = [](std::vector<int64_t> shape) {
    std::erase(shape, 1);
    return shape;
  };
  if (withoutOnes(found) == withoutOnes(expected))
    return;
  if (expected.size() == 1 && elementCount(found) == expected[0])
    return;
  throw inputError(file + ": its samples are " + shapeText(found) + ", but the model takes " + shapeText(expected) +
                   ": use data of that shape, or a model for this one");
}

void checkLabel(int64_t label, const DatasetShape &expected, int64_t sample, const std::string &file) {
  if ((label < 0 || label >= expected.classes) && label != expected.ignoredLabel)
    throw inputError(
        file + ": sample " + std::to_string(sample) + " has label " + std::to_string(label) + ", but the model has " +
        std::to_string(expected.classes) + " classes: labels go from 0 to " + std::to_string(expected.classes - 1) +
        (expected.ignoredLabel ? ", or are " + std::to_string(*expected.ignoredLabel) + ", which is ignored" : ""));
}

void checkTarget(float target, const DatasetShape &expected, int64_t sample, const std::string &file) {
  if (!std::isfinite(target) || (expected.probabilities && (target < 0 || target > 1)))
    throw inputError(file + ": sample " + std::to_string(sample) + " has the target " + std::to_string(target) + "; " +
                     (expected.probabilities ? "the model's loss, bce, takes numbers from 0 to 1"
                                             : "targets must be finite numbers"));
}

void Dataset::readTargets(int64_t, float *) const { throw std::logic_error("samples with labels have no targets"); }

void targetsOfLabel(int32_t label, int64_t elements, float *targets) {
  std::fill_n(targets, elements, 0.0f);
  if (elements == 1)
    targets[0] = float(label);
  else
    targets[label] = 1;
}

namespace {

/// One way of keeping data.
struct Reader {
  bool (*recognises)(const std::string &path);
  bool (*hasSplit)(const std::string &path, Split split);
  std::unique_ptr<Dataset> (*open)(const std::string &path, Split split, const DatasetShape &expected,
                                   const ManifestPreprocess &preprocess);
};

constexpr Reader kReaders[] = {{isNpyList, npyHasSplit, openNpy},
                               {isImageFolder, imageFolderHasSplit, openImageFolder},
                               {isIdxFolder, idxHasSplit, openIdx}};

const Reader &readerOf(const std::string &path) {
  for (const Reader &reader : kReaders)
    if (reader.recognises(path))
      return reader;
  std::error_code ignored;
  const char *what = std::filesystem::exists(path, ignored) ? ": no data is found there" : ": does not exist";
  throw inputError(path + what +
                   "; data is an image folder (with train/CLASS/ and val/CLASS/ or test/CLASS/ in it), a folder of IDX "
                   "files (train-images-idx3-ubyte, train-labels-idx1-ubyte, ...) or a pair of arrays (x.npy,y.npy)");
}

} // namespace

std::unique_ptr<Dataset> openDataset(const std::string &path, Split split, const DatasetShape &expected,
                                     const ManifestPreprocess &preprocess) {
  if (expected.sample.empty() || elementCount(expected.sample) == 0)
    throw inputError("the model's input has no elements: no data fits it");
  checkPreprocess(preprocess, channelsOf(expected.sample));
  const Reader &reader = readerOf(path);
  if (!reader.hasSplit(path, split))
    throw inputError(path + ": has no " + (split == Split::train ? "training" : "test") + " split");
  std::unique_ptr<Dataset> dataset = reader.open(path, split, expected, preprocess);
  if (dataset->size() == 0)
    throw inputError(path + ": its " + (split == Split::train ? "training" : "test") + " split has no samples");
  if (!expected.labels.empty() && !isNpyList(path))
    throw inputError(path + ": has one label for each sample, but the model's loss takes " +
                     shapeText(expected.labels) + ": give them as the second of a pair of arrays, x.npy,y.npy");
  if (expected.targets && expected.targets->size() > 1 && dataset->hasLabels())
    throw inputError(path + ": has labels, but the model's loss compares its output with numbers of shape " +
                     shapeText(*expected.targets) + ": give them as the second of a pair of arrays, x.npy,y.npy");
  return dataset;
}

bool hasSplit(const std::string &path, Split split) { return readerOf(path).hasSplit(path, split); }

} // namespace partyline::runtime
