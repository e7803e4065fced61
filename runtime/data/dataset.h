//===- dataset.h - labelled samples in a folder or in files ---------------===//
//
// What --data may name:
//   an image folder    DIR/train/CLASS/*, and DIR/val/CLASS/* or DIR/test/CLASS/*; JPEG and PNG, told by their content
//   IDX files          DIR/train-images-idx3-ubyte[.gz], DIR/train-labels-idx1-ubyte[.gz], and t10k-... for the test
//                      split; colour images as idx4 (N, C, H, W)
//   a pair of arrays   x.npy,y.npy or x.npy,y.npy,x_test.npy,y_test.npy; y holds labels, one or
//                      more for each sample, or numbers where the loss takes these
// Samples are numbered in an order that depends on the data alone: class folders and files sorted by name as bytes, or
// the order in the file. Every rank that sees the same data sees the same numbers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/shared/manifest.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace partyline::runtime {

enum class Split { train, test };

/// What the model takes.
struct DatasetShape {
  std::vector<int64_t> sample; ///< of one sample in ONNX order: {C, H, W} for images
  int64_t classes = 0;         ///< labels must lie in [0, classes)
  /// Of one sample's targets, where the loss takes numbers. Nothing: it takes labels.
  std::optional<std::vector<int64_t>> targets = std::nullopt;
  bool probabilities = false;                         ///< targets must lie in [0, 1]
  std::vector<int64_t> labels = {};                   ///< of one sample's labels; empty: it has one
  std::optional<int64_t> ignoredLabel = std::nullopt; ///< may stand in a label's place
};

/// Samples with labels or targets. Reading does not change the object: any number of threads may read at once.
class Dataset {
public:
  virtual ~Dataset() = default;

  virtual int64_t size() const = 0;

  /// Writes sample `index`, preprocessed, to `out` in ONNX order.
  /// Throws an Error that names the file where the sample cannot be read.
  virtual void read(int64_t index, float *out) const = 0;

  /// Whether samples have labels, or targets. Each writes what it has of sample `index`, without reading the sample.
  virtual bool hasLabels() const { return true; }
  virtual void readLabels(int64_t index, int32_t *labels) const = 0;
  virtual void readTargets(int64_t index, float *targets) const;

  /// One name per class of the data, in the order of the labels; empty where the data has no names.
  virtual const std::vector<std::string> &classNames() const = 0;
};

/// Opens a split and checks what can be checked without decoding: counts, all labels and targets, shapes in
/// headers.
/// Throws an Error that names the file and what is wrong.
std::unique_ptr<Dataset> openDataset(const std::string &path, Split split, const DatasetShape &expected,
                                     const ManifestPreprocess &preprocess);

/// What a label asks of a loss that takes numbers: of one number the label itself, of several 1 in its place, else 0.
void targetsOfLabel(int32_t label, int64_t elements, float *targets);

/// Whether the data at `path` has this split. Throws an Error where `path` holds no data at all.
bool hasSplit(const std::string &path, Split split);

} // namespace partyline::runtime
