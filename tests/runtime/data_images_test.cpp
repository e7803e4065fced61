//===- data_images_test.cpp - image folders, JPEG, PNG --------------------===//
#include "runtime/data/dataset.h"
#include "runtime/data/image.h"
#include "tests/runtime/data_files.h"

#include <atomic>
#include <cmath>
#include <thread>

using namespace partyline;
using namespace partyline::runtime;
using namespace partyline::testing;

namespace {

using Pixels = std::vector<uint8_t>;

Pixels decode(const std::string &bytes, int64_t channels, ImageSize size = {8, 8}) {
  Pixels pixels;
  decodeImage(bytes, "image", size, channels, pixels);
  return pixels;
}

Pixels plain(int count, std::initializer_list<uint8_t> pixel) {
  Pixels pixels;
  for (int i = 0; i < count; ++i)
    pixels.insert(pixels.end(), pixel);
  return pixels;
}

/// Smooth, so that JPEG stores it well.
Pixels gradient(int width, int height) {
  Pixels pixels;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      pixels.insert(pixels.end(), {uint8_t(40 + 5 * x), uint8_t(60 + 5 * y), uint8_t(100 + 2 * x + 2 * y)});
  return pixels;
}

void expectNear(const Pixels &found, const Pixels &expected, int tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance) << "at " << i;
}

ManifestPreprocess bytesThemselves = {"bytes", 1, {}, {}};

} // namespace

TEST(Jpeg, ColourAndGrey) {
  Pixels rgb = gradient(8, 8);
  for (bool progressive : {false, true})
    for (J_COLOR_SPACE stored : {JCS_YCbCr, JCS_RGB})
      expectNear(decode(encodeJpeg(8, 8, rgb, {.stored = stored, .progressive = progressive}), 3), rgb, 3);
  Pixels grey = plain(64, {77});
  std::string greyFile = encodeJpeg(8, 8, grey, {.given = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE});
  expectNear(decode(greyFile, 3), plain(64, {77, 77, 77}), 1);
  expectNear(decode(greyFile, 1), grey, 1);
  expectNear(decode(encodeJpeg(8, 8, plain(64, {200, 100, 50}), {}), 1), plain(64, {124}), 2);
}

TEST(Jpeg, InksBecomeColours) {
  // Cyan 40 %, magenta 0, yellow 100 %, black 20 %, inverted as Adobe stores it: red 0.6 * 0.8, green 0.8, blue 0.
  Pixels inverted = plain(64, {153, 255, 0, 204});
  Pixels expected = plain(64, {122, 204, 0});
  for (J_COLOR_SPACE stored : {JCS_CMYK, JCS_YCCK})
    expectNear(decode(encodeJpeg(8, 8, inverted, {.given = JCS_CMYK, .stored = stored}), 3), expected, 3);
  Pixels ink = plain(64, {102, 0, 255, 51});
  JpegForm withoutAdobe = {.given = JCS_CMYK, .stored = JCS_CMYK, .adobeMarker = false};
  expectNear(decode(encodeJpeg(8, 8, ink, withoutAdobe), 3), expected, 3);
  expectNear(decode(encodeJpeg(8, 8, ink, withoutAdobe), 1), plain(64, {156}), 3);
}

TEST(Jpeg, TruncatedFilesAreErrors) {
  for (bool progressive : {false, true}) {
    std::string bytes = encodeJpeg(8, 8, gradient(8, 8), {.progressive = progressive});
    for (size_t length = 0; length < bytes.size() - 2; ++length)
      expectError([&] { decode(bytes.substr(0, length), 3); }, {"image"});
  }
}

TEST(Jpeg, DamagedFilesNeverCrash) {
  std::string bytes = encodeJpeg(8, 8, gradient(8, 8), {.progressive = true});
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[at] ^= char(1 << bit);
      try {
        decode(flipped, 3);
      } catch (const Error &) {
      }
    }
}

TEST(Png, ColoursAndDepths) {
  Pixels rgb = gradient(8, 8);
  EXPECT_EQ(decode(encodePng(8, 8, rgb, {}), 3), rgb);
  EXPECT_EQ(decode(encodePng(8, 8, rgb, {.interlaced = true}), 3), rgb);
  EXPECT_EQ(decode(encodePng(8, 8, plain(64, {200, 100, 50}), {}), 1), plain(64, {124}));
  EXPECT_EQ(decode(encodePng(8, 8, plain(64, {9}), {.colorType = PNG_COLOR_TYPE_GRAY}), 3), plain(64, {9, 9, 9}));
  // Alpha is dropped, 16 bits become the upper 8.
  EXPECT_EQ(decode(encodePng(8, 8, plain(64, {1, 2, 3, 128}), {.colorType = PNG_COLOR_TYPE_RGB_ALPHA}), 3),
            plain(64, {1, 2, 3}));
  EXPECT_EQ(decode(encodePng(8, 8, plain(64, {5, 0}), {.colorType = PNG_COLOR_TYPE_GRAY_ALPHA}), 1), plain(64, {5}));
  EXPECT_EQ(decode(encodePng(8, 8, plain(64, {1, 255, 2, 255, 3, 255}), {.depth = 16}), 3), plain(64, {1, 2, 3}));
  EXPECT_EQ(decode(encodePng(8, 8, plain(8, {0xaa}), {.colorType = PNG_COLOR_TYPE_GRAY, .depth = 1}), 1),
            plain(32, {255, 0}));
}

TEST(Png, PalettesWithAndWithoutAlpha) {
  PngForm form = {.colorType = PNG_COLOR_TYPE_PALETTE, .depth = 4, .palette = {{1, 2, 3}, {40, 50, 60}}};
  Pixels expected;
  for (int i = 0; i < 32; ++i)
    expected.insert(expected.end(), {1, 2, 3, 40, 50, 60});
  EXPECT_EQ(decode(encodePng(8, 8, plain(32, {0x01}), form), 3), expected);
  form.paletteAlpha = {0, 128};
  EXPECT_EQ(decode(encodePng(8, 8, plain(32, {0x01}), form), 3), expected);
}

TEST(Png, TruncatedAndDamagedFilesAreErrors) {
  std::string bytes = encodePng(8, 8, gradient(8, 8), {});
  for (size_t length = 0; length < bytes.size(); ++length)
    expectError([&] { decode(bytes.substr(0, length), 3); }, {"image"});
  // Every chunk here is needed and has a checksum.
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[at] ^= char(1 << bit);
      expectError([&] { decode(flipped, 3); }, {"image"});
    }
}

TEST(Images, OtherSizesAndFormatsAreErrors) {
  expectError([] { decode(encodePng(8, 4, gradient(8, 4), {}), 3); }, {"image", "8x4", "8x8", "resize"});
  expectError([] { decode(encodeJpeg(4, 8, gradient(4, 8), {}), 3); }, {"image", "4x8", "8x8"});
  expectError([] { decode("GIF89a.....", 3); }, {"image", "neither"});
  expectError([] { decode("", 3); }, {"image", "neither"});
}

namespace {

/// Two classes, named so that the order of bytes and of people differ: "Zebra" before "ant".
struct ImageFolderTest : ::testing::Test {
  ImageFolderTest() {
    add("train/ant/b.png", {10, 20, 30});
    add("train/ant/a.jpg", {1, 2, 3}); // a PNG all the same
    add("train/Zebra/x.png", {7, 8, 9});
    writeFile(folder / "train/.DS_Store", "hidden");
    writeFile(folder / "train/ant/.hidden", "hidden");
    writeFile(folder / "train/notes.txt", "beside the classes");
    add("val/ant/v.png", {4, 5, 6});
  }

  void add(const std::string &name, std::initializer_list<uint8_t> pixel) {
    writeFile(folder / name, encodePng(8, 4, plain(32, pixel), {}));
  }

  std::unique_ptr<Dataset> open(Split split = Split::train, const DatasetShape &shape = {{3, 4, 8}, 2}) {
    return openDataset(folder.path, split, shape, bytesThemselves);
  }

  /// The label and the three channels' values of a plain image.
  std::vector<float> sample(const Dataset &dataset, int64_t index) {
    std::vector<float> out(3 * 32);
    int32_t label;
    dataset.read(index, out.data());
    dataset.readLabels(index, &label);
    for (size_t i = 0; i < out.size(); ++i)
      EXPECT_EQ(out[i], out[i / 32 * 32]);
    return {float(label), out[0], out[32], out[64]};
  }

  TemporaryFolder folder;
};

} // namespace

TEST_F(ImageFolderTest, IsSortedByClassAndName) {
  std::unique_ptr<Dataset> dataset = open();
  EXPECT_EQ(dataset->classNames(), (std::vector<std::string>{"Zebra", "ant"}));
  ASSERT_EQ(dataset->size(), 3);
  EXPECT_EQ(sample(*dataset, 0), (std::vector<float>{0, 7, 8, 9}));
  EXPECT_EQ(sample(*dataset, 1), (std::vector<float>{1, 1, 2, 3}));
  EXPECT_EQ(sample(*dataset, 2), (std::vector<float>{1, 10, 20, 30}));
}

TEST_F(ImageFolderTest, TheTestSplitHasTheTrainingLabels) {
  std::unique_ptr<Dataset> dataset = open(Split::test);
  ASSERT_EQ(dataset->size(), 1);
  EXPECT_EQ(sample(*dataset, 0), (std::vector<float>{1, 4, 5, 6}));
  add("val/bee/v.png", {4, 5, 6});
  expectError([&] { open(Split::test); }, {"val/bee", "no class"});
}

TEST_F(ImageFolderTest, TestMayBeTheNameOfTheSplit) {
  std::filesystem::rename(folder / "val", folder / "test");
  EXPECT_TRUE(hasSplit(folder.path, Split::test));
  EXPECT_EQ(open(Split::test)->size(), 1);
  std::filesystem::remove_all(folder / "test");
  EXPECT_FALSE(hasSplit(folder.path, Split::test));
}

TEST_F(ImageFolderTest, KeepsPixelsInPlace) {
  Pixels rgb = gradient(8, 4);
  writeFile(folder / "train/Zebra/x.png", encodePng(8, 4, rgb, {}));
  std::vector<float> out(96);
  ManifestPreprocess preprocess = {"p", 2, {1, 2, 3}, {1, 2, 4}};
  openDataset(folder.path, Split::train, {{3, 4, 8}, 2}, preprocess)->read(0, out.data());
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(out[c * 32 + i], float((rgb[i * 3 + c] / 2. - preprocess.mean[c]) / preprocess.deviation[c]));
  std::vector<float> grey(32);
  openDataset(folder.path, Split::train, {{1, 4, 8}, 2}, bytesThemselves)->read(1, grey.data());
  EXPECT_EQ(grey[5], 2); // 1, 2, 3
}

TEST_F(ImageFolderTest, ErrorsNameTheFile) {
  writeFile(folder / "train/ant/b.png", "no image");
  writeFile(folder / "train/ant/a.jpg", encodePng(4, 4, gradient(4, 4), {}));
  std::string jpeg = encodeJpeg(8, 4, gradient(8, 4), {});
  writeFile(folder / "train/Zebra/x.png", jpeg.substr(0, jpeg.size() / 2));
  std::unique_ptr<Dataset> dataset = open(); // nothing is decoded yet
  expectError([&] { sample(*dataset, 0); }, {"train/Zebra/x.png", "does not decode"});
  expectError([&] { sample(*dataset, 1); }, {"train/ant/a.jpg", "4x4", "8x4"});
  expectError([&] { sample(*dataset, 2); }, {"train/ant/b.png", "neither"});
  std::filesystem::remove(folder / "train/ant/b.png");
  expectError([&] { sample(*dataset, 2); }, {"train/ant/b.png", "cannot be opened"});
}

TEST_F(ImageFolderTest, WrongFoldersAreErrors) {
  expectError([&] { open(Split::train, {{3, 4, 8}, 1}); }, {"2 class folders", "1 classes"});
  expectError([&] { open(Split::train, {{4, 4, 8}, 2}); }, {"4x4x8"});
  expectError([&] { open(Split::train, {{96}, 2}); }, {"96"});
  std::filesystem::create_directory(folder / "train/ant/images");
  expectError([&] { open(); }, {"train/ant/images", "is not a file"});
  TemporaryFolder empty;
  std::filesystem::create_directories(empty / "train/ant");
  expectError([&] { openDataset(empty.path, Split::train, {{3, 4, 8}, 2}, {}); }, {"no samples"});
}

TEST_F(ImageFolderTest, ManyThreadsMayRead) {
  std::unique_ptr<Dataset> dataset = open();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> out(96);
      for (int i = 0; i < 200; ++i) {
        int32_t label;
        int64_t index = (i + t) % 3;
        dataset->read(index, out.data());
        dataset->readLabels(index, &label);
        float first[] = {7, 1, 10};
        wrong += label != (index > 0) || out[0] != first[index] ||
                 out[95] != first[index] * (index == 2 ? 3 : 1) + (index == 2 ? 0 : 2);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}
