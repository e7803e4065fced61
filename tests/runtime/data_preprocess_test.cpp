//===- data_preprocess_test.cpp -------------------------------------------===//
#include "runtime/data/preprocess.h"
#include "tests/runtime/data_files.h"

#include <cmath>

using namespace partyline;
using namespace partyline::runtime;
using partyline::testing::expectError;
using partyline::testing::TemporaryFolder;
using partyline::testing::writeFile;

TEST(Preprocess, PresetsFollowTheFormula) {
  Preprocessor cifar(preprocessPreset("cifar"), {3, 1, 2});
  std::vector<uint8_t> bytes = {0, 255, 10, 20, 30, 40};
  std::vector<float> out(6);
  cifar.apply(bytes.data(), out.data());
  EXPECT_FLOAT_EQ(out[0], float((0 - 0.4914) / 0.2470));
  EXPECT_FLOAT_EQ(out[1], float((1 - 0.4914) / 0.2470));
  EXPECT_FLOAT_EQ(out[2], float((10 / 255. - 0.4822) / 0.2435));
  EXPECT_FLOAT_EQ(out[5], float((40 / 255. - 0.4465) / 0.2616));
  EXPECT_EQ(preprocessPreset("imagenet").mean, (std::vector<double>{0.485, 0.456, 0.406}));
}

TEST(Preprocess, NoneScalesBytesAndLeavesTheRest) {
  Preprocessor none(preprocessPreset("none"), {2});
  std::vector<uint8_t> bytes = {51, 255};
  std::vector<float> floats = {51.5f, -3}, out(2);
  none.apply(bytes.data(), out.data());
  EXPECT_EQ(out, (std::vector<float>{0.2f, 1}));
  none.apply(floats.data(), out.data());
  EXPECT_EQ(out, floats);
}

TEST(Preprocess, BytesAndFloatsAgreeUnderAPreset) {
  Preprocessor imagenet(preprocessPreset("imagenet"), {3, 16, 16});
  std::vector<uint8_t> bytes(768);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = i * 7;
  std::vector<float> floats(bytes.begin(), bytes.end()), a(768), b(768);
  imagenet.apply(bytes.data(), a.data());
  imagenet.apply(floats.data(), b.data());
  EXPECT_EQ(a, b);
}

TEST(Preprocess, ReadsAPresetFile) {
  TemporaryFolder folder;
  ManifestPreprocess read =
      preprocessPreset(writeFile(folder / "p.json", R"({"divisor": 16, "mean": [0.5], "deviation": [0.25]})"));
  EXPECT_EQ(read.divisor, 16);
  Preprocessor preprocessor(read, {1, 1, 1});
  uint8_t value = 12;
  float out;
  preprocessor.apply(&value, &out);
  EXPECT_EQ(out, 1);
  // A divisor of one gives the bytes themselves, in contrast to "none".
  EXPECT_EQ(Preprocessor(preprocessPreset(writeFile(folder / "q.json", "{}")), {4}).byteTable(0)[255], 255);
}

TEST(Preprocess, BadPresetsAreErrors) {
  TemporaryFolder folder;
  expectError([] { preprocessPreset("imagnet"); }, {"imagnet", "cifar", "imagenet"});
  for (const char *text : {"", "[]", "{\"divisor\": \"x\"}", "{\"divisor\": 0}", "{\"mean\": 3}",
                           "{\"mean\": [1, \"\"]}", "{\"deviation\": [0]}", "{\"deviation\": [-1]}",
                           "{\"mean\": [1,2], \"deviation\": [1]}", "{\"scale\": 1}", "{\"divisor\": 1e999}"})
    expectError([&] { preprocessPreset(writeFile(folder / "bad.json", text)); }, {"bad.json"});
  expectError([&] { preprocessPreset(writeFile(folder / "large.json", std::string(1 << 20, ' '))); }, {"large.json"});
}

TEST(Preprocess, ChannelsMustMatch) {
  expectError([] { checkPreprocess(preprocessPreset("cifar"), 1); }, {"cifar", "3", "1 channels"});
  EXPECT_NO_THROW(checkPreprocess(preprocessPreset("none"), 7));
  EXPECT_EQ(channelsOf({3, 4, 5}), 3);
  EXPECT_EQ(channelsOf({784}), 1);
}
