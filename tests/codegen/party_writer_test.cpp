//===- party_writer_test.cpp - a cluster binary, never half there ---------===//
#include "codegen/party_writer.h"
#include "runtime/shared/error.h"
#include "runtime/shared/hash.h"
#include "runtime/shared/manifest_json.h"
#include "test_support.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sys/stat.h>

namespace fs = std::filesystem;

namespace partyline::codegen {
namespace {

class PartyWriterTest : public testing::Test {
protected:
  PartyWriterTest() {
    writeFile(folder.path() / "a.so", "library of a");
    writeFile(folder.path() / "b.so", "library of b");

    Manifest &manifest = contents.manifest;
    manifest.modelName = "net";
    // A bias of 3 at element 0, a weight OIHW = 2x1x1x2 stored as HWIO at element 16, a constant behind the gradients.
    manifest.tensors = {{"weight", {2, 1, 1, 2}, {{2, 1, 1, 2}, {2, 3, 1, 0}}, TensorKind::parameter, 16, 4},
                        {"bias", {3}, {}, TensorKind::parameter, 0, 3},
                        {"constant", {2}, {}, TensorKind::constant, 32, 2}};
    manifest.weightElements = 48;
    manifest.gradientElements = 32;
    manifest.buckets = {{0, 32, "ring"}};
    manifest.options.globalBatch = 8;
    manifest.numberOfClasses = 2;
    for (const std::string name : {"a", "b/b"}) {
      ManifestClass deviceClass;
      deviceClass.name = name;
      deviceClass.target = "x86-64-linux";
      deviceClass.planHash = "plan";
      deviceClass.microBatch = 2;
      deviceClass.arenaBytes = 4096;
      deviceClass.weightsOffset = 0;
      deviceClass.gradientsOffset = 256;
      deviceClass.readyAfter = {0};
      deviceClass.input = {"x", {4}, {}, 1024};
      deviceClass.labels = {"labels", {}, {}, 1088};
      deviceClass.sampleIds = {"sample_ids", {}, {}, 1152};
      deviceClass.loss = {"loss", {}, {}, 1216};
      deviceClass.logits = {"y", {2}, {}, 1280};
      deviceClass.evaluateInput = deviceClass.input;
      deviceClass.evaluateLabels = deviceClass.labels;
      deviceClass.evaluateLoss = deviceClass.loss;
      deviceClass.evaluateLogits = deviceClass.logits;
      manifest.classes.push_back(deviceClass);
      manifest.hosts.push_back({"host of " + name, "localhost", name, 4});
    }
    contents.parameters = {{"weight", {1, 2, 3, 4}}, {"bias", {5, 6, 7}}, {"constant", {8, 9}}};
    contents.libraries = {{"a", folder.path() / "a.so"}, {"b/b", folder.path() / "b.so"}};
    contents.writeModel = [](const fs::path &to) { writeFile(to, "the model"); };
    contents.clusterYaml = "version: 1\n";
    contents.planJson = "{}\n";
  }

  std::string errorOf(const fs::path &destination) {
    try {
      writeParty(contents, destination);
    } catch (const Error &error) {
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }
  /// Everything in the folder but what the test itself put there.
  std::vector<std::string> written() {
    std::vector<std::string> names;
    for (const auto &entry : fs::directory_iterator(folder.path()))
      if (entry.path().extension() != ".so")
        names.push_back(entry.path().filename());
    return names;
  }

  TemporaryFolder folder{"partyline-test"};
  fs::path party = folder.path() / "net.party";
  PartyContents contents;
};

TEST_F(PartyWriterTest, WritesAllThatTheWorkerReads) {
  const mode_t oldMask = umask(077);
  const std::string hash = writeParty(contents, party.string() + "/");
  umask(oldMask);
  const Manifest manifest = readManifest((party / "manifest.json").string()); // checks values and hash
  EXPECT_EQ(manifest.hash, hash);
  EXPECT_EQ(manifest.modelHash, hashFile((party / "model.onnx").string()));
  EXPECT_EQ(manifest.parametersHash, hashFile((party / "parameters.bin").string()));
  EXPECT_EQ(manifest.classes[0].library, "step-a.so");
  EXPECT_EQ(manifest.classes[1].library, "step-b_b.so");
  EXPECT_EQ(manifest.classes[1].hash, hashFile((party / "step-b_b.so").string()));
  EXPECT_EQ(readFile(party / "step-b_b.so"), "library of b");
  EXPECT_EQ(readFile(party / "model.onnx"), "the model");
  EXPECT_EQ(readFile(party / "cluster.yaml"), "version: 1\n");
  EXPECT_EQ(readFile(party / "plan.json"), "{}\n");

  struct stat status;
  ASSERT_EQ(stat(party.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755u);
  for (const auto &entry : fs::directory_iterator(party)) {
    ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0644u) << entry.path();
  }
  EXPECT_EQ(written(), std::vector<std::string>{"net.party"});
}

TEST_F(PartyWriterTest, ParametersLieInArenaOrder) {
  writeParty(contents, party);
  const std::string bytes = readFile(party / "parameters.bin");
  ASSERT_EQ(bytes.size(), 48 * sizeof(float));
  std::vector<float> values(48), expected(48);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  const float bias[] = {5, 6, 7}, weight[] = {1, 3, 2, 4}, constant[] = {8, 9};
  std::copy(std::begin(bias), std::end(bias), expected.begin());
  std::copy(std::begin(weight), std::end(weight), expected.begin() + 16);
  std::copy(std::begin(constant), std::end(constant), expected.begin() + 32);
  EXPECT_EQ(values, expected);
}

TEST_F(PartyWriterTest, ReplacesAnOlderOne) {
  writeParty(contents, party);
  writeFile(party / "left-over", "");
  contents.planJson = "{\"new\": 1}\n";
  writeParty(contents, party);
  EXPECT_EQ(readFile(party / "plan.json"), "{\"new\": 1}\n");
  EXPECT_FALSE(fs::exists(party / "left-over"));
  EXPECT_EQ(written(), std::vector<std::string>{"net.party"});
}

TEST_F(PartyWriterTest, FailureLeavesTheOldOneAsItWas) {
  writeParty(contents, party);
  contents.planJson = "new";
  contents.writeModel = [](const fs::path &) { throw inputError("net.onnx: cannot be read"); };
  EXPECT_EQ(errorOf(party), "net.onnx: cannot be read");
  EXPECT_EQ(readFile(party / "plan.json"), "{}\n");
  EXPECT_EQ(written(), std::vector<std::string>{"net.party"});
}

TEST_F(PartyWriterTest, ReplacesNothingElse) {
  fs::create_directory(party);
  writeFile(party / "thesis.txt", "precious");
  EXPECT_NE(errorOf(party).find("no cluster binary"), std::string::npos);
  EXPECT_EQ(readFile(party / "thesis.txt"), "precious");
  writeFile(folder.path() / "file", "precious");
  EXPECT_NE(errorOf(folder.path() / "file").find("no cluster binary"), std::string::npos);
  EXPECT_NE(errorOf(folder.path() / "none" / "net.party").find("no folder"), std::string::npos);
  fs::create_directory(folder.path() / "empty.party");
  writeParty(contents, folder.path() / "empty.party");
}

TEST_F(PartyWriterTest, MissingPiecesAreInternalErrors) {
  PartyContents whole = contents;
  contents.parameters.erase("bias");
  EXPECT_NE(errorOf(party).find("'bias'"), std::string::npos);
  contents = whole;
  contents.parameters["bias"].pop_back();
  EXPECT_NE(errorOf(party).find("'bias'"), std::string::npos);
  contents = whole;
  contents.libraries.erase("a");
  EXPECT_NE(errorOf(party).find("'a'"), std::string::npos);
  contents = whole;
  contents.manifest.tensors[0].offset = 0;
  EXPECT_NE(errorOf(party).find("overlap"), std::string::npos);
  contents = whole;
  contents.manifest.classes[0].arenaBytes = 64;
  EXPECT_NE(errorOf(party).find("internal error"), std::string::npos);
  EXPECT_TRUE(written().empty());
}

} // namespace
} // namespace partyline::codegen
