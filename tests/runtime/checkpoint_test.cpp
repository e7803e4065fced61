//===- checkpoint_test.cpp - the file, and what damages it ----------------===//
#include "runtime/checkpoint/checkpoint.h"
#include "tests/runtime/data_files.h"

#include <bit>
#include <cmath>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace partyline;
using namespace partyline::runtime;
using partyline::testing::expectError;
using partyline::testing::readFile;
using partyline::testing::TemporaryFolder;
using partyline::testing::writeFile;

namespace {

Checkpoint example() {
  Checkpoint checkpoint;
  checkpoint.modelHash = "0123456789abcdef0123456789abcdef";
  checkpoint.modelName = "lenet \"\xc3\xa9\"";
  checkpoint.step = 123;
  checkpoint.epoch = 4;
  checkpoint.position = 640;
  checkpoint.seed = -7;
  checkpoint.metrics = {{"top1", 0.1}, {"loss", 1e-300}};
  float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  checkpoint.tensors = {{"conv.weight", "", {2, 1, 1, 2}, {1, -0.f, nan, infinity}},
                        {"conv.weight", "momentum", {2, 1, 1, 2}, {0.5, 1e-45f, 3, 4}},
                        {"bn.mean", "", {3}, {7, 8, 9}},
                        {"scalar", "", {}, {1}},
                        {"empty", "", {0, 3}, {}}};
  return checkpoint;
}

/// For comparing NaN and the sign of zero.
std::vector<uint32_t> bitsOf(const std::vector<float> &values) {
  std::vector<uint32_t> bits;
  for (float value : values)
    bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

Manifest manifestOf(const Checkpoint &checkpoint) {
  Manifest manifest;
  manifest.modelHash = checkpoint.modelHash;
  manifest.modelName = checkpoint.modelName;
  manifest.optimizerSlots = {"momentum"};
  manifest.tensors = {{"conv.weight", {2, 1, 1, 2}, {{2, 1, 1, 2}, {2, 3, 1, 0}}, TensorKind::parameter, 0, 4},
                      {"bn.mean", {3}, {}, TensorKind::state, 16, 3},
                      {"scalar", {}, {}, TensorKind::state, 32, 1},
                      {"empty", {0, 3}, {}, TensorKind::state, 48, 0},
                      {"fixed", {5}, {}, TensorKind::constant, 64, 5}};
  return manifest;
}

/// A file with any header and a right checksum: what somebody hostile would write.
std::string forge(const std::string &header, const std::string &values, uint64_t headerBytes) {
  uint32_t version[2] = {1, 0};
  std::string bytes = "PARTYCKP";
  bytes.append(reinterpret_cast<char *>(version), 8).append(reinterpret_cast<char *>(&headerBytes), 8);
  bytes += header + values;
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash(&digest, XXH3_128bits(bytes.data(), bytes.size()));
  return bytes.append(reinterpret_cast<char *>(digest.digest), 16);
}
std::string forge(const std::string &header, const std::string &values) { return forge(header, values, header.size()); }

} // namespace

TEST(Checkpoint, IsReadBackToTheBit) {
  TemporaryFolder folder;
  Checkpoint written = example();
  std::string path = writeCheckpoint(folder / "made/on/the/way", written);
  EXPECT_EQ(path, folder / "made/on/the/way/step-00000123.ckpt");
  Checkpoint read = readCheckpoint(path);
  EXPECT_EQ(read.modelHash, written.modelHash);
  EXPECT_EQ(read.modelName, written.modelName);
  EXPECT_EQ(read.step, 123);
  EXPECT_EQ(read.epoch, 4);
  EXPECT_EQ(read.position, 640);
  EXPECT_EQ(read.seed, -7);
  EXPECT_EQ(read.metrics, written.metrics);
  ASSERT_EQ(read.tensors.size(), written.tensors.size());
  for (size_t i = 0; i < read.tensors.size(); ++i) {
    EXPECT_EQ(read.tensors[i].name, written.tensors[i].name);
    EXPECT_EQ(read.tensors[i].slot, written.tensors[i].slot);
    EXPECT_EQ(read.tensors[i].shape, written.tensors[i].shape);
    EXPECT_EQ(bitsOf(read.tensors[i].values), bitsOf(written.tensors[i].values));
  }
  EXPECT_NO_THROW(checkCheckpoint(read, manifestOf(read)));
}

TEST(Checkpoint, TheSameStateIsTheSameFile) {
  TemporaryFolder folder;
  std::string path = writeCheckpoint(folder.path, example());
  std::string first = readFile(path);
  EXPECT_EQ(writeCheckpoint(folder.path, example()), path); // written over
  EXPECT_EQ(readFile(path), first);
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
}

TEST(Checkpoint, AMetricWithoutANumberIsLeftOut) {
  TemporaryFolder folder;
  Checkpoint checkpoint = example();
  checkpoint.metrics["loss"] = std::nan("");
  EXPECT_EQ(readCheckpoint(writeCheckpoint(folder.path, checkpoint)).metrics,
            (std::map<std::string, double>{{"top1", 0.1}}));
}

TEST(Checkpoint, NamesSortByStep) {
  EXPECT_EQ(checkpointFileName(0), "step-00000000.ckpt");
  EXPECT_EQ(checkpointFileName(1234567890), "step-1234567890.ckpt");
}

TEST(Checkpoint, EveryFlippedBitIsSeen) {
  TemporaryFolder folder;
  std::string path = writeCheckpoint(folder.path, example()), bytes = readFile(path);
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string flipped = bytes;
    flipped[at] ^= char(1 << (at % 8));
    writeFile(path, flipped);
    expectError([&] { readCheckpoint(path); }, {path});
  }
}

TEST(Checkpoint, EveryTruncationIsSeen) {
  TemporaryFolder folder;
  std::string path = writeCheckpoint(folder.path, example()), bytes = readFile(path);
  for (size_t length = 0; length < bytes.size(); ++length) {
    writeFile(path, bytes.substr(0, length));
    expectError([&] { readCheckpoint(path); }, {path});
  }
  writeFile(path, bytes + '\0');
  expectError([&] { readCheckpoint(path); }, {path, "damaged", "remove it"});
}

TEST(Checkpoint, ForeignFilesAndVersionsAreErrors) {
  TemporaryFolder folder;
  expectError([&] { readCheckpoint(folder / "none"); }, {"none"});
  expectError([&] { readCheckpoint(folder.path); }, {folder.path, "regular file"});
  expectError([&] { readCheckpoint(writeFile(folder / "a", std::string(1000, 'x'))); }, {"no checkpoint"});
  std::string newer = forge("{}", "");
  newer[8] = 2;
  expectError([&] { readCheckpoint(writeFile(folder / "a", newer)); }, {"version 2"});
}

TEST(Checkpoint, HostileHeadersAreErrors) {
  TemporaryFolder folder;
  auto withTensors = [](const std::string &tensors) {
    return R"({"model":{"hash":"h","name":"n"},"step":1,"epoch":0,"position":0,"seed":0,"metrics":{},"tensors":)" +
           tensors + "}";
  };
  auto expectBad = [&](const std::string &file) {
    expectError([&] { readCheckpoint(writeFile(folder / "bad.ckpt", file)); }, {"bad.ckpt"});
  };
  std::string values(16, '\0');
  EXPECT_NO_THROW(readCheckpoint(writeFile(
      folder / "good.ckpt", forge(withTensors(R"([{"name":"a","slot":"","shape":[4],"offset":0}])"), values))));
  for (const char *tensors :
       {R"([])", R"([{"name":"a","slot":"","shape":[3],"offset":0}])",
        R"([{"name":"a","slot":"","shape":[5],"offset":0}])", R"([{"name":"a","slot":"","shape":[4],"offset":4}])",
        R"([{"name":"a","slot":"","shape":[4],"offset":-4}])", R"([{"name":"a","slot":"","shape":[-4],"offset":0}])",
        R"([{"name":"a","slot":"","shape":[4.0],"offset":0}])",
        R"([{"name":"a","slot":"","shape":[4611686018427387904,4],"offset":0}])",
        R"([{"name":"a","slot":"","shape":[4611686018427387904],"offset":0}])",
        R"([{"name":"a","slot":"","shape":[1e300],"offset":0}])", R"([{"name":"a","slot":"","shape":4,"offset":0}])",
        R"([{"name":"a","shape":[4],"offset":0}])", R"([{"name":1,"slot":"","shape":[4],"offset":0}])", R"({})",
        R"([[]])", R"([{"name":"a","slot":"","shape":[4],"offset":0},{"name":"b","slot":"","shape":[1],"offset":16}])"})
    expectBad(forge(withTensors(tensors), values));
  for (const char *header : {"", "{", "null", "[]", "{}", R"({"model":[]})"})
    expectBad(forge(header, values));
  std::string good = withTensors("[]");
  expectBad(forge(good, "", good.size() + 1));
  expectBad(forge(good, "", ~uint64_t(0)));
  expectBad(forge(good, "", ~uint64_t(0) - 15));
  expectBad(forge(std::string(100000, '['), ""));
  std::string negative = good;
  negative.replace(negative.find("\"step\":1"), 8, "\"step\":-1");
  expectBad(forge(negative, ""));
  std::string text = good;
  text.replace(text.find("\"metrics\":{}"), 12, R"("metrics":{"loss":"low"})");
  expectBad(forge(text, ""));
}

TEST(Checkpoint, WritingNowhereIsAnError) {
  TemporaryFolder folder;
  writeFile(folder / "file", "");
  expectError([&] { writeCheckpoint(folder / "file/below", example()); }, {"file/below"}, kFailed);
  Checkpoint wrong = example();
  wrong.tensors[0].values.pop_back();
  expectError([&] { writeCheckpoint(folder.path, wrong); }, {"conv.weight"}, kFailed);
  EXPECT_FALSE(std::filesystem::exists(folder / "step-00000123.ckpt"));
}

TEST(Checkpoint, AnotherModelIsAnError) {
  Checkpoint checkpoint = example();
  Manifest manifest = manifestOf(checkpoint);
  manifest.modelHash = std::string(32, 'f');
  manifest.modelName = "resnet20";
  expectError([&] { checkCheckpoint(checkpoint, manifest, "a.ckpt"); },
              {"a.ckpt", "another model", "lenet", "resnet20"});
}

TEST(Checkpoint, OtherTensorsAreErrors) {
  Checkpoint checkpoint = example();
  auto expectProblem = [](const Checkpoint &changed, const std::vector<std::string> &parts) {
    expectError([&] { checkCheckpoint(changed, manifestOf(changed)); }, parts);
  };
  Checkpoint changed = checkpoint;
  changed.tensors.erase(changed.tensors.begin() + 1);
  expectProblem(changed, {"'conv.weight' (momentum) is missing", "another optimizer"});
  changed = checkpoint;
  changed.tensors.push_back({"bn.mean", "momentum", {3}, {1, 2, 3}});
  expectProblem(changed, {"'bn.mean' (momentum) is not in the model"});
  changed = checkpoint;
  changed.tensors[2].shape = {1, 3};
  expectProblem(changed, {"'bn.mean' has another shape"});
  changed = checkpoint;
  changed.tensors.push_back(changed.tensors[2]);
  expectProblem(changed, {"'bn.mean' is there twice"});
  changed = checkpoint;
  changed.tensors.clear();
  expectProblem(changed, {"'conv.weight' is missing", "'scalar' is missing"});
  for (int i = 0; i < 9; ++i)
    changed.tensors.push_back({"x" + std::to_string(i), "", {}, {0}});
  expectProblem(changed, {"and 9 more"});
}
