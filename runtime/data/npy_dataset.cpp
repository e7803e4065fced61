//===- npy_dataset.cpp - a pair of arrays as a dataset --------------------===//
#include "runtime/data/npy.h"
#include "runtime/data/preprocess.h"
#include "runtime/data/readers.h"
#include "runtime/shared/error.h"
#include "runtime/shared/file.h"
#include "runtime/shared/layout.h"

#include <algorithm>

namespace partyline::runtime {

namespace {

std::vector<std::string> splitAtCommas(const std::string &list) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t comma; (comma = list.find(',', begin)) != std::string::npos; begin = comma + 1)
    parts.push_back(list.substr(begin, comma - begin));
  parts.push_back(list.substr(begin));
  return parts;
}

/// Calls use(T()) with the C++ type of an element.
template <typename Use> void withType(NpyType type, Use use) {
  switch (type) {
  case NpyType::uint8:
    return use(uint8_t());
  case NpyType::boolean: // not 8-bit data in the sense of preprocessing
  case NpyType::int8:
    return use(int8_t());
  case NpyType::int16:
    return use(int16_t());
  case NpyType::uint16:
    return use(uint16_t());
  case NpyType::int32:
    return use(int32_t());
  case NpyType::uint32:
    return use(uint32_t());
  case NpyType::int64:
    return use(int64_t());
  case NpyType::uint64:
    return use(uint64_t());
  case NpyType::float32:
    return use(float());
  case NpyType::float64:
    return use(double());
  }
}

bool isFloat(NpyType type) { return type == NpyType::float32 || type == NpyType::float64; }

/// One label for each sample.
std::vector<int32_t> readLabelColumn(const std::string &path, int64_t samples, const std::string &samplesPath,
                                     const DatasetShape &expected) {
  NpyHeader header = readNpyHeader(path);
  bool isColumn = header.shape.size() == 1 || (header.shape.size() == 2 && header.shape[1] == 1);
  if (!isColumn || isFloat(header.type))
    throw inputError(path + ": labels are one integer per sample; this is an array of " + shapeText(header.shape) +
                     (isColumn ? " floats: convert it with array.astype('int32')" : ""));
  if (header.elements != samples)
    throw inputError(path + ": has " + std::to_string(header.elements) + " labels, but " + samplesPath + " has " +
                     std::to_string(samples) + " samples");
  InputFile file(path);
  std::vector<int32_t> labels(samples);
  withType(header.type, [&](auto zero) {
    using T = decltype(zero);
    constexpr int64_t kAtOnce = 4096;
    std::vector<T> chunk(std::min(kAtOnce, samples));
    for (int64_t first = 0; first < samples; first += kAtOnce) {
      int64_t count = std::min(kAtOnce, samples - first);
      file.readAt(header.dataOffset + first * sizeof(T), chunk.data(), count * sizeof(T));
      for (int64_t i = 0; i < count; ++i) {
        // A uint64 beyond int64 turns negative: out of range as well.
        checkLabel(static_cast<int64_t>(chunk[i]), expected, first + i, path);
        labels[first + i] = static_cast<int32_t>(chunk[i]);
      }
    }
  });
  return labels;
}

/// Whether the array holds numbers of the targets' shape rather than labels. One number per sample may be either:
/// floats are targets, integers labels.
bool holdsTargets(const NpyHeader &header, const DatasetShape &expected) {
  const bool isColumn = header.shape.size() == 1 || (header.shape.size() == 2 && header.shape[1] == 1);
  return expected.targets && (!isColumn || isFloat(header.type));
}

/// One array after another of a .npy file, all of one shape.
class NpyRows {
public:
  /// Throws an Error unless the rows can be taken for arrays of the shape `expected`.
  NpyRows(const std::string &path, const std::vector<int64_t> &expected) : header(readNpyHeader(path)), file(path) {
    if (header.shape.empty())
      throw inputError(path + ": is a single number; samples are an array whose first dimension counts them");
    checkSampleShape({header.shape.begin() + 1, header.shape.end()}, expected, path);
    elements = elementCount(expected);
  }

  int64_t size() const { return header.shape[0]; }

  /// Calls use(values) with row `index`, a pointer to elements of the file's type.
  template <typename Use> void read(int64_t index, Use use) const {
    withType(header.type, [&](auto zero) {
      using T = decltype(zero);
      thread_local std::vector<T> values;
      values.resize(elements);
      const int64_t bytes = elements * int64_t(sizeof(T));
      file.readAt(header.dataOffset + index * bytes, values.data(), bytes);
      use(values.data());
    });
  }

  int64_t elements = 0; ///< of a row

private:
  NpyHeader header;
  InputFile file;
};

class NpyDataset : public Dataset {
public:
  NpyDataset(const std::string &samplesPath, const std::string &labelsPath, const DatasetShape &expected,
             const ManifestPreprocess &preprocess)
      : samples(samplesPath, expected.sample), preprocessor(preprocess, expected.sample) {
    const NpyHeader header = readNpyHeader(labelsPath);
    if (holdsTargets(header, expected)) {
      targets.emplace(labelsPath, *expected.targets);
      checkRows(*targets, "targets", labelsPath, samplesPath, expected, checkTarget);
    } else if (expected.labels.empty()) {
      labels = readLabelColumn(labelsPath, samples.size(), samplesPath, expected);
    } else if (isFloat(header.type)) {
      throw inputError(labelsPath + ": labels are integers; convert these with array.astype('int32')");
    } else {
      labelRows.emplace(labelsPath, expected.labels);
      checkRows(*labelRows, "labels", labelsPath, samplesPath, expected, checkLabel);
    }
  }

  int64_t size() const override { return samples.size(); }

  void read(int64_t index, float *out) const override {
    samples.read(index, [&](auto *values) { preprocessor.apply(values, out); });
  }

  bool hasLabels() const override { return !targets; }

  void readLabels(int64_t index, int32_t *out) const override {
    if (labelRows)
      copyRow(*labelRows, index, out);
    else
      *out = labels.at(index);
  }

  void readTargets(int64_t index, float *out) const override { copyRow(*targets, index, out); }

  const std::vector<std::string> &classNames() const override { return noNames; }

private:
  /// Throws an Error unless there is a row for every sample, and check(value, expected, sample, path) if it does.
  template <typename Check>
  void checkRows(const NpyRows &rows, const char *what, const std::string &path, const std::string &samplesPath,
                 const DatasetShape &expected, Check check) const {
    if (rows.size() != samples.size())
      throw inputError(path + ": has " + what + " of " + std::to_string(rows.size()) + " samples, but " + samplesPath +
                       " has " + std::to_string(samples.size()) + " samples");
    for (int64_t sample = 0; sample < rows.size(); ++sample)
      rows.read(sample, [&](auto *values) {
        for (int64_t i = 0; i < rows.elements; ++i)
          check(values[i], expected, sample, path);
      });
  }

  template <typename T> static void copyRow(const NpyRows &rows, int64_t index, T *out) {
    rows.read(index,
              [&](auto *values) { std::transform(values, values + rows.elements, out, [](auto v) { return T(v); }); });
  }

  NpyRows samples;
  Preprocessor preprocessor;
  // One of these three:
  std::vector<int32_t> labels; ///< one for each sample
  std::optional<NpyRows> labelRows, targets;
  std::vector<std::string> noNames;
};

} // namespace

bool isNpyList(const std::string &path) {
  std::vector<std::string> parts = splitAtCommas(path);
  return std::all_of(parts.begin(), parts.end(), [](const std::string &part) { return part.ends_with(".npy"); });
}

bool npyHasSplit(const std::string &path, Split split) {
  size_t parts = splitAtCommas(path).size();
  if (parts != 2 && parts != 4)
    throw inputError(path + ": arrays come in pairs: x.npy,y.npy or x.npy,y.npy,x_test.npy,y_test.npy");
  return split == Split::train || parts == 4;
}

std::unique_ptr<Dataset> openNpy(const std::string &path, Split split, const DatasetShape &expected,
                                 const ManifestPreprocess &preprocess) {
  std::vector<std::string> parts = splitAtCommas(path);
  size_t first = split == Split::train ? 0 : 2;
  return std::make_unique<NpyDataset>(parts[first], parts[first + 1], expected, preprocess);
}

} // namespace partyline::runtime
