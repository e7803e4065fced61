//===- manifest_test.cpp - round trip, and hostile manifests --------------===//
#include "runtime/shared/hash.h"
#include "runtime/shared/manifest_json.h"
#include "tests/runtime/data_files.h"
#include "tests/runtime/tiny_model.h"

#include <nlohmann/json.hpp>

using namespace partyline;
using nlohmann::json;
using partyline::testing::expectError;
using partyline::testing::TemporaryFolder;
using partyline::testing::writeFile;

namespace {

/// Reads a manifest of which `change` was made, with a hash that fits.
void readChanged(const std::function<void(json &)> &change) {
  json document = json::parse(sealedManifest(partyline::testing::tiny::manifest()));
  document["classes"][0]["hash"] = std::string(32, '0');
  change(document);
  manifestFromJson(document.dump(), "m.json");
}

Manifest sound() {
  Manifest manifest = partyline::testing::tiny::manifest();
  manifest.classes[0].hash = std::string(32, '0');
  return manifest;
}

} // namespace

TEST(Hash, isXxh3) {
  // xxhsum -H2 of the empty file and of "abc".
  EXPECT_EQ(hashBytes("", 0), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hashBytes("abc", 3), "06b05ab6733a618578af5f94892f3950");
  TemporaryFolder folder;
  const std::string bytes(1 << 20, 'x');
  EXPECT_EQ(hashFile(writeFile(folder / "file", bytes)), hashBytes(bytes.data(), bytes.size()));
  expectError([&] { hashFile(folder / "missing"); }, {"missing"});
}

TEST(Manifest, comesBackAsItWas) {
  Manifest manifest = sound();
  manifest.hosts = {{"phone1", "10.0.0.1", "this machine", 5}, {"phone2", "10.0.0.2", "this machine", 3}};
  manifest.options.globalBatch = 8;
  manifest.options.learningRate = 0.1234567890123456789;
  manifest.options.seed = -5;
  manifest.options.learningRateSchedule = "poly:2";
  manifest.options.warmup = "7steps";
  manifest.tensors.push_back({"weights", {3}, {}, TensorKind::constant, 80, 3});
  manifest.weightElements = 83;
  manifest.classes[0].gradientsOffset = manifest.classes[0].arenaBytes;
  manifest.classes[0].arenaBytes += 320;
  manifest.reduction = {"none", -100, "weights"};
  manifest.preprocess = {"cifar", 255, {0.4914, 0.4822}, {0.2470, 0.2435}};
  const std::string text = sealedManifest(manifest);
  const Manifest read = manifestFromJson(text, "m.json");
  EXPECT_EQ(manifestToJson(read), text);
  EXPECT_EQ(read.options.learningRate, manifest.options.learningRate);
  EXPECT_EQ(read.options.learningRateSchedule, "poly:2");
  EXPECT_EQ(read.options.warmup, "7steps");
  EXPECT_EQ(read.reduction.name, "none");
  EXPECT_EQ(read.reduction.ignoreIndex, -100);
  EXPECT_EQ(read.reduction.classWeights, "weights");
  EXPECT_EQ(read.tensors[0].layout, manifest.tensors[0].layout);
  EXPECT_EQ(read.classes[0].readyAfter, manifest.classes[0].readyAfter);
  EXPECT_EQ(read.preprocess.deviation, manifest.preprocess.deviation);
  EXPECT_EQ(read.hosts[0].device, "this machine");
  EXPECT_EQ(read.hosts[1].share, 3);
}

TEST(Manifest, hashCoversEverything) {
  const std::string text = sealedManifest(sound());
  for (const char *field : {"\"learningRate\": 0.1", "\"modelName\": \"tiny\"", "\"offset\": 48"}) {
    std::string changed = text;
    const size_t place = changed.find(field);
    ASSERT_NE(place, std::string::npos) << field;
    const size_t last =
        place + std::string(field).size() - (changed[place + std::string(field).size() - 1] == '"' ? 2 : 1);
    changed[last] = changed[last] == '8' ? '9' : changed[last] + 1;
    EXPECT_THROW(manifestFromJson(changed, "m.json"), Error) << field;
  }
  expectError([] { readChanged([](json &document) { document["options"]["seed"] = 4; }); },
              {"m.json", "hash does not fit"});
}

TEST(Manifest, refusesImpossibleValues) {
  struct Case {
    std::function<void(json &)> change;
    std::string key;
  };
  const std::vector<Case> cases = {
      {[](json &m) { m["version"] = 2; }, "version"},
      {[](json &m) { m.erase("tensors"); }, "tensors is missing"},
      {[](json &m) { m["tensors"] = 5; }, "tensors"},
      {[](json &m) { m["tensors"][0]["elements"] = 47; }, "tensors[0].elements"},
      {[](json &m) { m["tensors"][0]["elements"] = -1; }, "tensors[0].elements"},
      {[](json &m) {
         m["tensors"][0]["shape"] = {1u << 31, 1u << 31, 1u << 31};
       },
       "tensors[0].shape"},
      {[](json &m) {
         m["tensors"][0]["layout"]["permutation"] = {1, 1};
       },
       "tensors[0].layout"},
      {[](json &m) { m["tensors"][1]["offset"] = 32; }, "overlap"},
      {[](json &m) { m["tensors"][1]["offset"] = 50; }, "tensors[1].offset"},
      {[](json &m) { m["tensors"][2]["offset"] = 80; }, "tensors[2].offset"},
      {[](json &m) { m["tensors"][2]["kind"] = "constant"; }, "tensors[2].offset"},
      {[](json &m) { m["tensors"][2]["kind"] = "trained"; }, "tensors[2].kind"},
      {[](json &m) { m["tensors"][1]["name"] = "w"; }, "'w' is there twice"},
      {[](json &m) { m["gradientElements"] = 100; }, "gradientElements"},
      {[](json &m) { m["weightElements"] = 18446744073709551615u; }, "weightElements"},
      {[](json &m) { m["weightElements"] = 1e30; }, "weightElements"},
      {[](json &m) { m["buckets"][1]["first"] = 49; }, "buckets[1]"},
      {[](json &m) { m["buckets"][1]["last"] = 64; }, "buckets"},
      {[](json &m) { m["buckets"][0]["last"] = m["buckets"][1]["first"] = 32; }, "ends inside of tensor 'w'"},
      {[](json &m) { m["buckets"][0]["algorithm"] = "star"; }, "buckets[0].algorithm"},
      {[](json &m) { m["classes"] = json::array(); }, "classes"},
      {[](json &m) { m["classes"].push_back(m["classes"][0]); }, "twice"},
      {[](json &m) { m["classes"][0]["library"] = "../step.so"; }, "classes[0].library"},
      {[](json &m) { m["classes"][0]["hash"] = "abc"; }, "classes[0].hash"},
      {[](json &m) { m["classes"][0]["microBatch"] = 0; }, "classes[0].microBatch"},
      {[](json &m) { m["classes"][0]["microBatch"] = 100; }, "classes[0].input"},
      {[](json &m) { m["classes"][0]["threads"] = 1000000; }, "classes[0].threads"},
      {[](json &m) { m["classes"][0]["arenaBytes"] = 900; }, "classes[0].optimizerOffsets"},
      {[](json &m) { m["classes"][0]["gradientsOffset"] = 256; }, "overlap"},
      {[](json &m) { m["classes"][0]["optimizerOffsets"] = json::array(); }, "classes[0].optimizerOffsets"},
      {[](json &m) { m["classes"][0]["readyAfter"] = {1}; }, "classes[0].readyAfter"},
      {[](json &m) { m["classes"][0]["loss"]["offset"] = 64; }, "overlap"},
      {[](json &m) { m["classes"][0]["logits"]["offset"] = 1 << 30; }, "classes[0].logits"},
      {[](json &m) { m["classes"][0]["labels"]["offset"] = 960; }, "overlap"},
      {[](json &m) { m["classes"][0]["loss"]["shape"] = {2}; }, "classes[0].labels.shape"},
      {[](json &m) {
         m["classes"][0]["input"]["shape"] = {1099511627776, 1099511627776};
       },
       "input.shape"},
      {[](json &m) {
         m["hosts"] = {{{"name", "a"}, {"address", "b"}, {"device", "c"}, {"share", 0}}};
       },
       "hosts[0].device"},
      {[](json &m) {
         m["hosts"] = {{{"name", "a"}, {"address", "b"}, {"device", m["classes"][0]["name"]}, {"share", 3}}};
         m["options"]["globalBatch"] = 4;
       },
       "sum to 3"},
      {[](json &m) { m["options"]["clipNorm"] = -1; }, "options.clipNorm"},
      {[](json &m) { m["options"]["loss"] = "hinge"; }, "options.loss"},
      {[](json &m) { m["options"]["loss"] = "mse"; }, "labels.shape"},
      {[](json &m) { m["classes"][0]["labels"]["shape"] = {2}; }, "must be the losses'"},
      {[](json &m) { m["reduction"]["name"] = "median"; }, "median"},
      {[](json &m) { m["reduction"]["ignoreIndex"] = int64_t(1) << 40; }, "ignoreIndex"},
      {[](json &m) { m["reduction"]["classWeights"] = "b"; }, "no constant"},
      {[](json &m) { m["options"]["learningRate"] = -1; }, "options.learningRate"},
      {[](json &m) { m["options"]["learningRate"] = nullptr; }, "options.learningRate"},
      {[](json &m) { m["preprocess"]["divisor"] = 0; }, "preprocess.divisor"},
      {[](json &m) { m["numberOfClasses"] = 4; }, "numberOfClasses"},
  };
  for (const Case &one : cases) {
    SCOPED_TRACE(one.key);
    expectError([&] { readChanged(one.change); }, {"m.json", one.key});
  }
}

// Every prefix of a manifest and many damaged bytes: an Error or, by luck, a sound manifest; never anything else.
TEST(Manifest, survivesDamage) {
  const std::string text = sealedManifest(sound());
  for (size_t length = 0; length < text.size() - 2; length += 7)
    EXPECT_THROW(manifestFromJson(text.substr(0, length), "m.json"), Error);
  uint32_t random = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 3; ++i) {
      random = random * 1664525 + 1013904223;
      damaged[random % damaged.size()] = "0123456789-.\"[]{},:\x80z"[(random >> 20) % 21];
    }
    try {
      manifestFromJson(damaged, "m.json");
    } catch (const Error &) {
    }
  }
  EXPECT_THROW(manifestFromJson(std::string(1000000, '['), "m.json"), Error);
}
