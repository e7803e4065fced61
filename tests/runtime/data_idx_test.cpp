//===- data_idx_test.cpp --------------------------------------------------===//
#include "runtime/data/dataset.h"
#include "tests/runtime/data_files.h"

#include <zlib.h>

using namespace partyline;
using namespace partyline::runtime;
using partyline::testing::expectError;
using partyline::testing::TemporaryFolder;
using partyline::testing::writeFile;

static std::string idx(const std::vector<uint32_t> &shape, const std::string &values, int type = 8) {
  std::string bytes = {'\0', '\0', char(type), char(shape.size())};
  for (uint32_t extent : shape)
    for (int shift : {24, 16, 8, 0})
      bytes += char(extent >> shift);
  return bytes + values;
}

static std::string gzip(const std::string &bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = bytes.size();
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = packed.size();
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

namespace {

/// Three images of 2x3 with values 0, 1, 2, ...; labels 1, 0, 2.
struct IdxTest : ::testing::Test {
  IdxTest() {
    std::string values;
    for (int i = 0; i < 18; ++i)
      values += char(i);
    images = idx({3, 2, 3}, values);
    labels = idx({3}, std::string("\x01\x00\x02", 3));
  }

  void write(const std::string &imageBytes, const std::string &labelBytes, const std::string &suffix = "") {
    writeFile(folder / ("train-images-idx3-ubyte" + suffix), imageBytes);
    writeFile(folder / ("train-labels-idx1-ubyte" + suffix), labelBytes);
  }

  std::unique_ptr<Dataset> open(Split split = Split::train) {
    return openDataset(folder.path, split, {{1, 2, 3}, 3}, bytesThemselves);
  }

  void expectAll(const Dataset &dataset) {
    ASSERT_EQ(dataset.size(), 3);
    std::vector<float> out(6);
    int32_t label, expected[] = {1, 0, 2};
    for (int64_t i = 2; i >= 0; --i) {
      dataset.read(i, out.data());
      dataset.readLabels(i, &label);
      EXPECT_EQ(label, expected[i]);
      for (int64_t e = 0; e < 6; ++e)
        EXPECT_EQ(out[e], i * 6 + e);
    }
    EXPECT_TRUE(dataset.classNames().empty());
  }

  TemporaryFolder folder;
  std::string images, labels;
  ManifestPreprocess bytesThemselves = {"bytes", 1, {}, {}};
};

} // namespace

TEST_F(IdxTest, ReadsPlainFiles) {
  write(images, labels);
  expectAll(*open());
  EXPECT_TRUE(hasSplit(folder.path, Split::train));
  EXPECT_FALSE(hasSplit(folder.path, Split::test));
  expectError([&] { open(Split::test); }, {"no test split"});
}

TEST_F(IdxTest, ReadsCompressedFiles) {
  write(gzip(images), gzip(labels), ".gz");
  expectAll(*open());
}

TEST_F(IdxTest, ReadsTheTestSplitAndDottedNames) {
  writeFile(folder / "t10k-images.idx3-ubyte", images);
  writeFile(folder / "t10k-labels.idx1-ubyte", labels);
  EXPECT_FALSE(hasSplit(folder.path, Split::train));
  expectAll(*open(Split::test));
}

TEST_F(IdxTest, ReadsColourImages) {
  writeFile(folder / "train-images-idx4-ubyte", idx({1, 3, 1, 2}, "abcdef"));
  writeFile(folder / "train-labels-idx1-ubyte", idx({1}, std::string(1, '\0')));
  std::vector<float> out(6);
  openDataset(folder.path, Split::train, {{3, 1, 2}, 3}, bytesThemselves)->read(0, out.data());
  EXPECT_EQ(out, (std::vector<float>{'a', 'b', 'c', 'd', 'e', 'f'}));
}

TEST_F(IdxTest, WrongCountsAreErrors) {
  write(idx({4, 2, 3}, images.substr(16)), labels);
  expectError([&] { open(); }, {"train-images-idx3-ubyte", "4x2x3", "count is wrong"});
  write(images, idx({2}, std::string("\x01\x00\x02", 3)));
  expectError([&] { open(); }, {"train-labels-idx1-ubyte", "count is wrong"});
  write(images, idx({2}, std::string("\x01\x00", 2)));
  expectError([&] { open(); }, {"2 labels", "3 images"});
  write(images, idx({3, 1}, std::string("\x01\x00\x02", 3)));
  expectError([&] { open(); }, {"train-labels-idx1-ubyte", "3x1"});
  write(idx({0, 2, 3}, ""), idx({0}, ""));
  expectError([&] { open(); }, {"no samples"});
}

TEST_F(IdxTest, WrongCountsInCompressedFilesAreErrors) {
  write(gzip(idx({4, 2, 3}, images.substr(16))), gzip(labels), ".gz");
  expectError([&] { open(); }, {"train-images-idx3-ubyte.gz", "truncated"});
  write(gzip(images + "x"), gzip(labels), ".gz");
  expectError([&] { open(); }, {"train-images-idx3-ubyte.gz", "count is wrong"});
  // Must not try to allocate what the header asks for.
  write(gzip(idx({0xffffffff, 2, 3}, images.substr(16))), gzip(labels), ".gz");
  expectError([&] { open(); }, {"more than the file can hold"});
}

TEST_F(IdxTest, WrongLabelsAndShapesAreErrors) {
  write(images, idx({3}, std::string("\x01\x03\x02", 3)));
  expectError([&] { open(); }, {"train-labels-idx1-ubyte", "sample 1", "label 3", "3 classes"});
  write(images, labels);
  expectError([&] { openDataset(folder.path, Split::train, {{1, 3, 2}, 3}, {}); }, {"2x3", "1x3x2"});
  expectError([&] { openDataset(folder.path, Split::train, {{3, 2, 3}, 3}, {}); }, {"2x3", "3x2x3"});
  ManifestPreprocess colour = {"colour", 1, {1, 2, 3}, {}};
  expectError([&] { openDataset(folder.path, Split::train, {{1, 2, 3}, 3}, colour); }, {"colour", "channels"});
}

TEST_F(IdxTest, ForeignFilesAreErrors) {
  write("\x89PNG....", labels);
  expectError([&] { open(); }, {"train-images-idx3-ubyte", "no IDX file"});
  write(idx({3, 2, 3}, std::string(72, '\0'), 13), labels);
  expectError([&] { open(); }, {"type 13"});
  write(idx({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, ""), labels);
  expectError([&] { open(); }, {"train-images-idx3-ubyte"});
  std::filesystem::remove(folder / "train-labels-idx1-ubyte");
  expectError([&] { open(); }, {"train-labels-idx1-ubyte"});
  expectError([&] { hasSplit(folder / "nowhere", Split::train); }, {"nowhere", "does not exist"});
  TemporaryFolder empty;
  expectError([&] { hasSplit(empty.path, Split::train); }, {"no data", "image folder", "IDX"});
}

TEST_F(IdxTest, TruncatedFilesAreErrors) {
  for (size_t length = 0; length < images.size(); ++length) {
    write(images.substr(0, length), labels);
    expectError([&] { open(); }, {"train-images-idx3-ubyte"});
  }
  std::filesystem::remove(folder / "train-images-idx3-ubyte");
  std::filesystem::remove(folder / "train-labels-idx1-ubyte");
  std::string packed = gzip(images);
  for (size_t length = 0; length < packed.size(); ++length) {
    write(packed.substr(0, length), gzip(labels), ".gz");
    expectError([&] { open(); }, {"train-images-idx3-ubyte.gz"});
  }
}

TEST_F(IdxTest, FlippedBitsInCompressedFilesNeverPassUnseen) {
  std::string packed = gzip(images);
  int errors = 0, tries = 0;
  // Behind gzip's header of ten bytes, whose time and system say nothing about the values. Nor do the few bits between
  // the end of the values and the checksum.
  for (size_t at = 10; at < packed.size(); ++at)
    for (int bit = 0; bit < 8; ++bit, ++tries) {
      std::string flipped = packed;
      flipped[at] ^= char(1 << bit);
      write(flipped, gzip(labels), ".gz");
      try {
        expectAll(*open());
      } catch (const Error &error) {
        EXPECT_NE(std::string(error.what()).find("train-images-idx3-ubyte.gz"), std::string::npos);
        ++errors;
      }
    }
  EXPECT_GE(errors, tries - 7);
}
