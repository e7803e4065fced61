//===- image_folder.cpp - train/CLASS/*, val/CLASS/* or test/CLASS/* ------===//
//
// Only names are kept, end to end in one string with an offset each: 30 bytes an image, so that every phone can hold
// the index of a large set. Images are read and decoded when they are asked for.
//
//===----------------------------------------------------------------------===//
#include "runtime/data/image.h"
#include "runtime/data/preprocess.h"
#include "runtime/data/readers.h"
#include "runtime/shared/error.h"
#include "runtime/shared/file.h"

#include <algorithm>
#include <filesystem>

namespace partyline::runtime {

namespace fs = std::filesystem;

namespace {

/// Photographs stay far below.
constexpr int64_t kLargestImageFile = int64_t(256) << 20;

/// The folder of a split: "" where there is none.
std::string splitFolder(const std::string &path, Split split) {
  std::error_code ignored;
  for (const char *name : {"train", "val", "test"}) {
    bool isTrain = std::string(name) == "train";
    if (isTrain == (split == Split::train) && fs::is_directory(path + "/" + name, ignored))
      return path + "/" + name;
  }
  return "";
}

/// Calls use(entry) for what a folder holds, hidden entries aside.
template <typename Use> void forEachEntry(const std::string &folder, Use use) {
  std::error_code code;
  fs::directory_iterator entry(folder, code), end;
  for (; !code && entry != end; entry.increment(code))
    if (!entry->path().filename().native().starts_with("."))
      use(*entry);
  if (code)
    throw inputError(folder + ": cannot be listed: " + code.message());
}

std::vector<std::string> classFolders(const std::string &folder) {
  std::vector<std::string> names;
  forEachEntry(folder, [&](const fs::directory_entry &entry) {
    std::error_code ignored;
    if (entry.is_directory(ignored))
      names.push_back(entry.path().filename().native());
  });
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> filesOf(const std::string &folder) {
  std::vector<std::string> names;
  forEachEntry(folder, [&](const fs::directory_entry &entry) {
    std::error_code ignored;
    if (!entry.is_regular_file(ignored))
      throw inputError(entry.path().native() + ": is not a file; class folders hold image files and nothing else");
    names.push_back(entry.path().filename().native());
  });
  std::sort(names.begin(), names.end());
  return names;
}

class ImageFolder : public Dataset {
public:
  ImageFolder(const std::string &path, Split split, const DatasetShape &expected, const ManifestPreprocess &preprocess)
      : folder(splitFolder(path, split)), preprocessor(preprocess, expected.sample) {
    const std::vector<int64_t> &shape = expected.sample;
    if (shape.size() != 3 || (shape[0] != 1 && shape[0] != 3))
      throw inputError(path + ": is an image folder, but the model takes " + shapeText(shape) +
                       ": images are 3xHEIGHTxWIDTH, or 1xHEIGHTxWIDTH in grey");
    channels = shape[0];
    imageSize = {shape[1], shape[2]};

    // Labels mean the same in both splits, also where the test split lacks a class.
    std::string trainFolder = splitFolder(path, Split::train);
    const std::string &naming = trainFolder.empty() ? folder : trainFolder;
    classes = classFolders(naming);
    if (int64_t(classes.size()) > expected.classes)
      throw inputError(naming + ": has " + std::to_string(classes.size()) + " class folders, but the model has " +
                       std::to_string(expected.classes) + " classes");
    for (const std::string &name : classFolders(folder))
      if (!std::binary_search(classes.begin(), classes.end(), name))
        throw inputError(folder + "/" + name + ": there is no class of this name in " + naming);
    for (const std::string &name : classes)
      addClass(name);
    names.shrink_to_fit();
    nameEnds.shrink_to_fit();
  }

  int64_t size() const override { return nameEnds.size(); }

  void readLabels(int64_t index, int32_t *label) const override {
    *label = std::upper_bound(classEnds.begin(), classEnds.end(), index) - classEnds.begin();
  }

  void read(int64_t index, float *out) const override {
    int32_t label;
    readLabels(index, &label);
    uint32_t begin = index == 0 ? 0 : nameEnds.at(index - 1);
    std::string path = folder + "/" + classes.at(label) + "/" + names.substr(begin, nameEnds.at(index) - begin);
    thread_local std::string bytes;
    thread_local std::vector<uint8_t> pixels;
    readWholeFile(path, kLargestImageFile, bytes);
    decodeImage(bytes, path, imageSize, channels, pixels);
    for (int64_t c = 0; c < channels; ++c) {
      const std::array<float, 256> &table = preprocessor.byteTable(c);
      const uint8_t *from = pixels.data() + c;
      for (int64_t i = 0; i < preprocessor.channelElements(); ++i, from += channels)
        *out++ = table[*from];
    }
  }

  const std::vector<std::string> &classNames() const override { return classes; }

private:
  void addClass(const std::string &name) {
    std::error_code ignored;
    if (fs::exists(folder + "/" + name, ignored))
      for (const std::string &file : filesOf(folder + "/" + name)) {
        if (names.size() + file.size() > UINT32_MAX)
          throw inputError(folder + ": has too many images for one index (4 GiB of names)");
        names += file;
        nameEnds.push_back(names.size());
      }
    classEnds.push_back(nameEnds.size());
  }

  std::string folder;
  Preprocessor preprocessor;
  int64_t channels;
  ImageSize imageSize;
  std::vector<std::string> classes;
  std::vector<int64_t> classEnds; ///< class c ends before this sample
  std::string names;              ///< all file names, end to end
  std::vector<uint32_t> nameEnds; ///< sample i's name ends here
};

} // namespace

bool imageFolderHasSplit(const std::string &path, Split split) { return !splitFolder(path, split).empty(); }

bool isImageFolder(const std::string &path) {
  return imageFolderHasSplit(path, Split::train) || imageFolderHasSplit(path, Split::test);
}

std::unique_ptr<Dataset> openImageFolder(const std::string &path, Split split, const DatasetShape &expected,
                                         const ManifestPreprocess &preprocess) {
  return std::make_unique<ImageFolder>(path, split, expected, preprocess);
}

} // namespace partyline::runtime
