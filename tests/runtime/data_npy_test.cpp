//===- data_npy_test.cpp --------------------------------------------------===//
#include "runtime/data/dataset.h"
#include "runtime/data/npy.h"
#include "tests/runtime/data_files.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace partyline;
using namespace partyline::runtime;
using partyline::testing::expectError;
using partyline::testing::readFile;
using partyline::testing::TemporaryFolder;
using partyline::testing::writeFile;

static std::string npyOfHeader(std::string dictionary, int version, const std::string &data) {
  dictionary += '\n';
  std::string bytes = std::string("\x93NUMPY") + char(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += char(dictionary.size() >> (8 * i));
  return bytes + dictionary + data;
}

template <typename T> static std::string bytesOf(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
}

template <typename T>
static std::string npy(const std::string &type, const std::string &shape, const std::vector<T> &values,
                       int version = 1) {
  return npyOfHeader("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }", version,
                     bytesOf(values));
}

namespace {

/// Two samples of 1x2x2 and their labels.
struct NpyTest : ::testing::Test {
  std::unique_ptr<Dataset> open(const std::string &x, const std::string &y, Split split = Split::train) {
    std::string paths = writeFile(folder / "x.npy", x) + "," + writeFile(folder / "y.npy", y);
    return openDataset(paths, split, {{1, 2, 2}, 3}, {});
  }

  template <typename T> void expectReads(const std::string &type, const std::vector<T> &values) {
    std::unique_ptr<Dataset> dataset = open(npy(type, "(2, 1, 2, 2)", values), goodLabels);
    ASSERT_EQ(dataset->size(), 2);
    for (int64_t i = 0; i < 2; ++i) {
      std::vector<float> out(4);
      int32_t label = -1;
      dataset->read(i, out.data());
      dataset->readLabels(i, &label);
      EXPECT_EQ(label, i == 0 ? 2 : 0);
      for (int64_t e = 0; e < 4; ++e)
        EXPECT_EQ(out[e], float(values[i * 4 + e])) << type;
    }
  }

  TemporaryFolder folder;
  std::string goodLabels = npy<int32_t>("<i4", "(2,)", {2, 0});
  std::string goodSamples = npy<float>("<f4", "(2, 1, 2, 2)", {1, 2, 3, 4, 5, 6, 7, 8});
};

} // namespace

TEST_F(NpyTest, ReadsEveryType) {
  expectReads<float>("<f4", {1.5, -2, 3, 4, 5, 6, 7, 1e30f});
  expectReads<double>("<f8", {1.25, -2, 3, 4, 5, 6, 7, 1e30});
  expectReads<int8_t>("|i1", {-128, 127, 3, 4, 5, 6, 7, 8});
  expectReads<int8_t>("|b1", {0, 1, 1, 0, 0, 0, 1, 1});
  expectReads<int16_t>("<i2", {-300, 300, 3, 4, 5, 6, 7, 8});
  expectReads<uint16_t>("<u2", {65535, 300, 3, 4, 5, 6, 7, 8});
  expectReads<int32_t>("<i4", {-70000, 300, 3, 4, 5, 6, 7, 8});
  expectReads<uint32_t>("<u4", {4000000000u, 300, 3, 4, 5, 6, 7, 8});
  expectReads<int64_t>("<i8", {-5000000000, 300, 3, 4, 5, 6, 7, 8});
  expectReads<uint64_t>("<u8", {10000000000000000000u, 300, 3, 4, 5, 6, 7, 8});
}

TEST_F(NpyTest, BytesAreScaled) {
  std::unique_ptr<Dataset> dataset = open(npy<uint8_t>("|u1", "(2, 1, 2, 2)", {0, 51, 255, 1, 2, 3, 4, 5}), goodLabels);
  std::vector<float> out(4);
  dataset->read(0, out.data());
  EXPECT_EQ(out[1], 0.2f);
  EXPECT_EQ(out[2], 1);
}

TEST_F(NpyTest, ReadsEveryVersionAndLabelType) {
  for (int version : {1, 2, 3})
    EXPECT_EQ(open(npy<float>("<f4", "(2, 1, 2, 2)", std::vector<float>(8), version), goodLabels)->size(), 2);
  for (const std::string &labels :
       {npy<int64_t>("<i8", "(2,)", {2, 0}), npy<uint8_t>("|u1", "(2,)", {2, 0}), npy<int32_t>("<i4", "(2, 1)", {2, 0}),
        npyOfHeader("{\"shape\":(2,),\"descr\":\"<u2\",\"fortran_order\":False}", 1, bytesOf<uint16_t>({2, 0}))}) {
    int32_t label = -1;
    open(goodSamples, labels)->readLabels(0, &label);
    EXPECT_EQ(label, 2);
  }
}

TEST_F(NpyTest, ShapesMayDifferInOnesOrBeFlat) {
  EXPECT_EQ(open(npy<float>("<f4", "(2, 2, 2)", std::vector<float>(8)), goodLabels)->size(), 2);
  expectError([&] { open(npy<float>("<f4", "(2, 4)", std::vector<float>(8)), goodLabels); },
              {"x.npy", "samples are 4", "1x2x2"});
  std::string paths = writeFile(folder / "x.npy", goodSamples) + "," + writeFile(folder / "y.npy", goodLabels);
  EXPECT_EQ(openDataset(paths, Split::train, {{4}, 3}, {})->size(), 2);
  expectError([&] { openDataset(paths, Split::train, {{5}, 3}, {}); }, {"x.npy"});
}

TEST_F(NpyTest, FourPathsHaveATestSplit) {
  std::string two = writeFile(folder / "x.npy", goodSamples) + "," + writeFile(folder / "y.npy", goodLabels);
  std::string four = two + "," + writeFile(folder / "xt.npy", npy<float>("<f4", "(1, 1, 2, 2)", {9, 9, 9, 9})) + "," +
                     writeFile(folder / "yt.npy", npy<int32_t>("<i4", "(1,)", {1}));
  EXPECT_TRUE(hasSplit(two, Split::train));
  EXPECT_FALSE(hasSplit(two, Split::test));
  EXPECT_TRUE(hasSplit(four, Split::test));
  EXPECT_EQ(openDataset(four, Split::train, {{1, 2, 2}, 3}, {})->size(), 2);
  EXPECT_EQ(openDataset(four, Split::test, {{1, 2, 2}, 3}, {})->size(), 1);
  expectError([&] { openDataset(two, Split::test, {{1, 2, 2}, 3}, {}); }, {"no test split"});
  expectError([&] { hasSplit(folder / "x.npy", Split::train); }, {"pairs"});
  expectError([&] { openDataset(two + "," + (folder / "x.npy"), Split::train, {{1, 2, 2}, 3}, {}); }, {"pairs"});
}

TEST_F(NpyTest, BadLabelsAreErrors) {
  auto withLabels = [&](const std::string &labels, const std::vector<std::string> &parts) {
    expectError([&] { open(goodSamples, labels); }, parts);
  };
  withLabels(npy<int32_t>("<i4", "(2,)", {2, 3}), {"y.npy", "sample 1", "label 3", "3 classes"});
  withLabels(npy<int64_t>("<i8", "(2,)", {-1, 0}), {"y.npy", "sample 0", "label -1"});
  withLabels(npy<int64_t>("<i8", "(2,)", {0, int64_t(1) << 32}), {"y.npy", "sample 1"});
  withLabels(npy<uint64_t>("<u8", "(2,)", {0, ~uint64_t(0)}), {"y.npy", "sample 1"});
  withLabels(npy<int32_t>("<i4", "(3,)", {0, 1, 2}), {"y.npy", "3 labels", "2 samples"});
  withLabels(npy<float>("<f4", "(2,)", {0, 1}), {"y.npy", "floats", "astype"});
  withLabels(npy<int32_t>("<i4", "(2, 2)", {0, 1, 1, 0}), {"y.npy", "2x2"});
  withLabels(npy<int32_t>("<i4", "()", {0}), {"y.npy"});
}

TEST_F(NpyTest, ALabelMayBeIgnored) {
  DatasetShape shape{{1, 2, 2}, 3};
  shape.ignoredLabel = -1;
  const std::string x = writeFile(folder / "x.npy", goodSamples), y = folder / "y.npy";
  writeFile(y, npy<int64_t>("<i8", "(2,)", {-1, 2}));
  int32_t label;
  openDataset(x + "," + y, Split::train, shape, {})->readLabels(0, &label);
  EXPECT_EQ(label, -1);
  writeFile(y, npy<int64_t>("<i8", "(2,)", {-1, -2}));
  expectError([&] { openDataset(x + "," + y, Split::train, shape, {}); }, {"sample 1", "label -2", "-1, which is"});
}

// A loss over places takes several labels of a sample.
TEST_F(NpyTest, ReadsSeveralLabelsOfASample) {
  DatasetShape shape{{1, 2, 2}, 3};
  shape.labels = {2, 2};
  shape.ignoredLabel = 255;
  const std::string x = writeFile(folder / "x.npy", goodSamples), y = folder / "y.npy";
  const auto openLabels = [&](const std::string &labels) {
    writeFile(y, labels);
    return openDataset(x + "," + y, Split::train, shape, {});
  };
  const std::unique_ptr<Dataset> dataset = openLabels(npy<uint8_t>("|u1", "(2, 2, 2)", {0, 1, 2, 0, 2, 255, 1, 1}));
  EXPECT_TRUE(dataset->hasLabels());
  std::vector<int32_t> labels(4);
  dataset->readLabels(1, labels.data());
  EXPECT_EQ(labels, (std::vector<int32_t>{2, 255, 1, 1}));
  expectError(
      [&] {
        openLabels(npy<uint8_t>("|u1", "(2, 2, 2)", {0, 1, 2, 0, 2, 3, 1, 1}));
      },
      {y, "sample 1", "label 3"});
  expectError([&] { openLabels(npy<float>("<f4", "(2, 2, 2)", std::vector<float>(8))); }, {y, "integers"});
  expectError([&] { openLabels(npy<uint8_t>("|u1", "(1, 2, 2)", {0, 1, 2, 0})); }, {y, "labels of 1", "2 samples"});
  expectError([&] { openLabels(goodLabels); }, {y, "2x2"});
}

TEST_F(NpyTest, BadHeadersAreErrors) {
  std::string data = bytesOf(std::vector<float>(8));
  auto withDictionary = [&](const std::string &dictionary) {
    expectError([&] { open(npyOfHeader(dictionary, 1, data), goodLabels); }, {"x.npy"});
  };
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 2, 2), }";
  EXPECT_NO_THROW(open(npyOfHeader(good, 1, data), goodLabels));
  withDictionary("");
  withDictionary("{}");
  withDictionary(good + "x");
  withDictionary("{'descr': '<f4', 'fortran_order': False}");
  withDictionary("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 2, 2)}");
  withDictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 2, 2), 'more': 'x'}");
  withDictionary("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 1, 2, 2)}");
  withDictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 2, 2)");
  withDictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (8)}");
  withDictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (2, -1, 2, 2)}");
  withDictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 2, 3)}");
  withDictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 2, 1)}");
  withDictionary("{'descr': '<f4', 'fortran_order': False, 'shape': ()}");
  withDictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 1, 2, 2)}");
  withDictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296, 2)}");
  for (const char *type : {">f4", "<f2", "<c8", "|O", "<U3", "f4", "<f4<f4", ""})
    withDictionary("{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (2, 1, 2, 2)}");
  withDictionary("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 1, 2, 2)}");
  expectError(
      [&] { open(npyOfHeader("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1, 2, 2)}", 1, data), goodLabels); },
      {"x.npy", "Fortran", "ascontiguousarray"});
}

TEST_F(NpyTest, TruncatedAndForeignFilesAreErrors) {
  for (size_t length = 0; length < goodSamples.size(); ++length)
    expectError([&] { open(goodSamples.substr(0, length), goodLabels); }, {"x.npy"});
  expectError([&] { open(goodSamples + "x", goodLabels); }, {"x.npy", "damaged"});
  expectError([&] { open("\x89PNG" + goodSamples, goodLabels); }, {"x.npy", "no .npy file"});
  std::string strange = goodSamples;
  strange[6] = 4;
  expectError([&] { open(strange, goodLabels); }, {"version 4"});
  std::string hostile = npyOfHeader("{'descr'", 2, "");
  hostile.replace(8, 4, "\xff\xff\xff\xff");
  expectError([&] { open(hostile, goodLabels); }, {"x.npy"});
  expectError([&] { open(npy<float>("<f4", "(0, 1, 2, 2)", {}), npy<int32_t>("<i4", "(0,)", {})); }, {"no samples"});
  expectError(
      [&] {
        openDataset(folder / "gone.npy," + (folder / "y.npy"), Split::train, {{4}, 3}, {});
      },
      {"gone.npy", "cannot be opened"});
}

TEST_F(NpyTest, FlippedHeaderBytesNeverCrash) {
  for (size_t at = 0; at < goodSamples.size() - 32; ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = goodSamples;
      flipped[at] ^= char(1 << bit);
      try {
        std::unique_ptr<Dataset> dataset = open(flipped, goodLabels);
        std::vector<float> out(4);
        dataset->read(1, out.data());
      } catch (const Error &) {
      }
    }
}

TEST(Npy, WrittenArraysAreReadBack) {
  TemporaryFolder folder;
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{{}, {5}, {3, 4}, {0, 7}, {2, 3, 4, 5}}) {
    int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.5f);
    writeNpy(folder / "a.npy", shape, values.data());
    NpyHeader header = readNpyHeader(folder / "a.npy");
    EXPECT_EQ(header.type, NpyType::float32);
    EXPECT_EQ(header.shape, shape);
    EXPECT_EQ(header.dataOffset % 64, 0);
    EXPECT_EQ(readFile(folder / "a.npy").substr(header.dataOffset), bytesOf(values));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.npy.tmp"));
  }
  expectError([&] { writeNpy(folder / "none/a.npy", {}, nullptr); }, {"none/a.npy"}, kFailed);
}

// What a loss like the mean squared error takes: floats, or integers of a shape that no labels have.
TEST_F(NpyTest, ReadsTargets) {
  const auto openTargets = [&](const std::string &y, std::vector<int64_t> shape) {
    const std::string paths = writeFile(folder / "x.npy", goodSamples) + "," + writeFile(folder / "y.npy", y);
    return openDataset(paths, Split::train, {{1, 2, 2}, 3, std::move(shape)}, {});
  };
  const auto expectTargets = [&](const std::string &y, const std::vector<int64_t> &shape,
                                 const std::vector<float> &expected) {
    const std::unique_ptr<Dataset> dataset = openTargets(y, shape);
    EXPECT_FALSE(dataset->hasLabels());
    std::vector<float> out(4), targets(expected.size());
    for (int64_t i = 0; i < 2; ++i) {
      dataset->read(i, out.data());
      EXPECT_EQ(out[0], i == 0 ? 1 : 5);
      dataset->readTargets(i, targets.data() + i * int64_t(targets.size() / 2));
    }
    EXPECT_EQ(targets, expected);
  };
  expectTargets(npy<float>("<f4", "(2, 3)", {1, 2.5, 3, -4, 5, 6}), {3}, {1, 2.5, 3, -4, 5, 6});
  expectTargets(npy<double>("<f8", "(2, 1, 2)", {1, 2.5, 3, -4}), {2, 1}, {1, 2.5, 3, -4});
  expectTargets(npy<uint8_t>("|u1", "(2, 3)", {1, 0, 1, 0, 0, 255}), {3}, {1, 0, 1, 0, 0, 255});
  expectTargets(npy<float>("<f4", "(2,)", {0.5, -1}), {1}, {0.5, -1});
  expectTargets(npy<float>("<f4", "(2, 1)", {0.5, -1}), {}, {0.5, -1});

  EXPECT_TRUE(openTargets(goodLabels, {3})->hasLabels()) << "integers, one per sample, are labels";
  const std::string y = folder / "y.npy";
  expectError([&] { openTargets(npy<float>("<f4", "(2, 3)", {1, 2, 3, 4, NAN, 6}), {3}); }, {y, "sample 1", "nan"});
  expectError([&] { openTargets(npy<double>("<f8", "(2, 1)", {1, 1e300}), {1}); }, {y, "sample 1", "inf"});
  expectError([&] { openTargets(npy<float>("<f4", "(2, 2)", {1, 2, 3, 4}), {3}); }, {y, "2", "3"});
  expectError([&] { openTargets(npy<float>("<f4", "(1, 3)", {1, 2, 3}), {3}); }, {y, "1 samples", "2 samples"});
  expectError([&] { openTargets(goodLabels, {3, 2, 2}); }, {"has labels", "3x2x2", "y.npy"});
}

TEST_F(NpyTest, ProbabilitiesLieBetweenZeroAndOne) {
  DatasetShape shape{{1, 2, 2}, 3, std::vector<int64_t>{2}};
  shape.probabilities = true;
  const std::string x = writeFile(folder / "x.npy", goodSamples), y = folder / "y.npy";
  const auto openTargets = [&](const std::vector<double> &targets) {
    writeFile(y, npy<double>("<f8", "(2, 2)", targets));
    return openDataset(x + "," + y, Split::train, shape, {});
  };
  openTargets({0, 1, 0.5, 1e-30});
  expectError([&] { openTargets({0, 1, 0, 1.25}); }, {y, "sample 1", "1.25", "from 0 to 1"});
  expectError([&] { openTargets({0, -0.5, 0, 1}); }, {y, "sample 0", "-0.5"});
}

TEST(Targets, ofLabels) {
  std::vector<float> targets(4, 7.0f);
  targetsOfLabel(2, 4, targets.data());
  EXPECT_EQ(targets, (std::vector<float>{0, 0, 1, 0}));
  targetsOfLabel(5, 1, targets.data());
  EXPECT_EQ(targets[0], 5);
}
