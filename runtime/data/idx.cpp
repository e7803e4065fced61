//===- idx.cpp - MNIST's IDX files ----------------------------------------===//
//
// Two zero bytes, a type (8: unsigned bytes), the number of dimensions, each extent as a big-endian 32-bit number, the
// values in C order. A plain file is read sample by sample; a compressed one is unpacked into memory as a whole.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/preprocess.h"
#include "runtime/data/readers.h"
#include "runtime/shared/error.h"
#include "runtime/shared/file.h"
#include "runtime/shared/layout.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <zlib.h>

namespace partyline::runtime {

namespace {

constexpr int kUnsignedBytes = 8;
constexpr int64_t kHighestRank = 8;
/// No deflate stream grows by more when unpacked (zlib's technical notes): what a header promises beyond is a lie.
constexpr int64_t kHighestCompression = 1032;

/// The values of an IDX file, wherever they are.
class IdxFile {
public:
  explicit IdxFile(const std::string &path) : filePath(path) {
    if (path.ends_with(".gz"))
      readCompressed();
    else
      openPlain();
  }

  const std::string &path() const { return filePath; }
  const std::vector<int64_t> &shape() const { return extents; }

  void readAt(int64_t offset, uint8_t *to, size_t bytes) const {
    if (file)
      file->readAt(dataOffset + offset, to, bytes);
    else
      std::memcpy(to, unpacked.data() + offset, bytes);
  }

private:
  void openPlain() {
    file = std::make_unique<InputFile>(filePath);
    parseHeader([&](uint8_t *to, int64_t bytes) {
      if (dataOffset + bytes > file->size())
        throwTruncated();
      file->readAt(dataOffset, to, bytes);
    });
    if (elementCount(extents) != file->size() - dataOffset)
      throw inputError(filePath + ": its header speaks of " + shapeText(extents) + " bytes, but " +
                       std::to_string(file->size() - dataOffset) + " follow: the count is wrong or the file damaged");
  }

  void readCompressed() {
    int64_t compressed = InputFile(filePath).size();
    gzFile stream = gzopen(filePath.c_str(), "rbe");
    if (!stream)
      throw inputError(filePath + ": cannot be opened");
    std::unique_ptr<gzFile_s, int (*)(gzFile)> closer(stream, gzclose);
    gzbuffer(stream, 1 << 17);
    auto unpack = [&](uint8_t *to, int64_t bytes) {
      while (bytes > 0) {
        int got = gzread(stream, to, unsigned(std::min<int64_t>(bytes, 1 << 30)));
        if (got < 0)
          throw inputError(filePath + ": cannot be unpacked: it is damaged");
        if (got == 0)
          throwTruncated();
        to += got;
        bytes -= got;
      }
    };
    parseHeader(unpack);
    int64_t bytes = elementCount(extents);
    if (bytes / kHighestCompression > compressed)
      throw inputError(filePath + ": its header speaks of " + shapeText(extents) +
                       " bytes, more than the file can hold: the count is wrong or the file damaged");
    unpacked.resize(bytes);
    unpack(unpacked.data(), bytes);
    // Reading on reaches the checksum, too.
    uint8_t beyond;
    int got = gzread(stream, &beyond, 1);
    int status;
    gzerror(stream, &status);
    if (got < 0 || status == Z_BUF_ERROR || status == Z_DATA_ERROR)
      throw inputError(filePath + ": cannot be unpacked to its end: it is truncated or damaged");
    if (got > 0)
      throw inputError(filePath + ": holds more than the " + shapeText(extents) +
                       " bytes of its header: the count is wrong or the file damaged");
  }

  /// Leaves dataOffset behind the header.
  template <typename Read> void parseHeader(Read read) {
    uint8_t start[4];
    read(start, 4);
    dataOffset = 4;
    int rank = start[3];
    if (start[0] != 0 || start[1] != 0 || rank == 0 || rank > kHighestRank)
      throw inputError(filePath + ": is no IDX file (it does not begin as one)");
    if (start[2] != kUnsignedBytes)
      throw inputError(filePath + ": holds IDX values of type " + std::to_string(start[2]) +
                       "; unsigned bytes (type 8) are read");
    for (int i = 0; i < rank; ++i) {
      uint8_t extent[4];
      read(extent, 4);
      dataOffset += 4;
      extents.push_back(int64_t(extent[0]) << 24 | extent[1] << 16 | extent[2] << 8 | extent[3]);
    }
    int64_t count = 1;
    for (int64_t extent : extents)
      if (__builtin_mul_overflow(count, extent, &count))
        throw inputError(filePath + ": its header speaks of " + shapeText(extents) + " bytes: it is damaged");
  }

  [[noreturn]] void throwTruncated() const { throw inputError(filePath + ": ends too early: it is truncated"); }

  std::string filePath;
  std::vector<int64_t> extents;
  int64_t dataOffset = 0;
  std::unique_ptr<InputFile> file; ///< plain
  std::vector<uint8_t> unpacked;   ///< compressed: the values
};

class IdxDataset : public Dataset {
public:
  IdxDataset(const std::string &imagesPath, const std::string &labelsPath, const DatasetShape &expected,
             const ManifestPreprocess &preprocess)
      : images(imagesPath), preprocessor(preprocess, expected.sample), bytesPerSample(elementCount(expected.sample)) {
    const std::vector<int64_t> &shape = images.shape();
    checkSampleShape({shape.begin() + 1, shape.end()}, expected.sample, imagesPath);
    IdxFile labelFile(labelsPath);
    if (labelFile.shape().size() != 1)
      throw inputError(labelsPath + ": labels are one number per sample; this file holds " +
                       shapeText(labelFile.shape()));
    if (labelFile.shape()[0] != shape[0])
      throw inputError(labelsPath + ": has " + std::to_string(labelFile.shape()[0]) + " labels, but " + imagesPath +
                       " has " + std::to_string(shape[0]) + " images");
    labels.resize(shape[0]);
    labelFile.readAt(0, labels.data(), labels.size());
    for (size_t i = 0; i < labels.size(); ++i)
      checkLabel(labels[i], expected, i, labelsPath);
  }

  int64_t size() const override { return labels.size(); }

  void readLabels(int64_t index, int32_t *label) const override { *label = labels.at(index); }

  void read(int64_t index, float *out) const override {
    thread_local std::vector<uint8_t> bytes;
    bytes.resize(bytesPerSample);
    images.readAt(index * bytesPerSample, bytes.data(), bytesPerSample);
    preprocessor.apply(bytes.data(), out);
  }

  const std::vector<std::string> &classNames() const override { return noNames; }

private:
  IdxFile images;
  Preprocessor preprocessor;
  int64_t bytesPerSample;
  std::vector<uint8_t> labels;
  std::vector<std::string> noNames;
};

/// The first of the usual names that is there, or nothing. Some archives write a dot for the hyphen before "idx".
std::string findFile(const std::string &folder, const std::string &stem, std::initializer_list<const char *> kinds) {
  std::error_code ignored;
  for (const char *kind : kinds)
    for (const char *separator : {"-", "."})
      for (const char *suffix : {"-ubyte", "-ubyte.gz"}) {
        std::string path = folder + "/" + stem + separator + kind + suffix;
        if (std::filesystem::exists(path, ignored))
          return path;
      }
  return "";
}

std::string imagesOf(const std::string &folder, Split split) {
  return findFile(folder, split == Split::train ? "train-images" : "t10k-images", {"idx3", "idx4"});
}

} // namespace

bool idxHasSplit(const std::string &path, Split split) { return !imagesOf(path, split).empty(); }

bool isIdxFolder(const std::string &path) { return idxHasSplit(path, Split::train) || idxHasSplit(path, Split::test); }

std::unique_ptr<Dataset> openIdx(const std::string &path, Split split, const DatasetShape &expected,
                                 const ManifestPreprocess &preprocess) {
  std::string stem = split == Split::train ? "train-labels" : "t10k-labels";
  std::string labels = findFile(path, stem, {"idx1"});
  if (labels.empty())
    throw inputError(path + ": has images but no " + stem + "-idx1-ubyte or " + stem + "-idx1-ubyte.gz");
  return std::make_unique<IdxDataset>(imagesOf(path, split), labels, expected, preprocess);
}

} // namespace partyline::runtime
