//===- manifest_json.cpp --------------------------------------------------===//
#include "runtime/shared/manifest_json.h"

#include "runtime/shared/error.h"
#include "runtime/shared/file.h"
#include "runtime/shared/hash.h"
#include "runtime/shared/json_reader.h"
#include "runtime/shared/manifest_check.h"

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

namespace partyline {

using nlohmann::json;

// Largest values that are believed; sums and products of a few of them stay far below 2^63.
static constexpr int64_t kMostElements = int64_t(1) << 40;
static constexpr int64_t kMostBytes = int64_t(1) << 44;
static constexpr int64_t kMostSamples = 1 << 20;
static constexpr int64_t kMostThreads = 4096;

static const char *kindName(TensorKind kind) {
  switch (kind) {
  case TensorKind::parameter:
    return "parameter";
  case TensorKind::state:
    return "state";
  case TensorKind::constant:
    return "constant";
  }
  return "";
}

static TensorKind readKind(const JsonReader &reader) {
  const std::string name = reader.string();
  for (TensorKind kind : {TensorKind::parameter, TensorKind::state, TensorKind::constant})
    if (name == kindName(kind))
      return kind;
  reader.fail("'" + name + "' is none of parameter, state, constant");
}

static json writeLayout(const Layout &layout) { return {{"view", layout.view}, {"permutation", layout.permutation}}; }

static Layout readLayout(const JsonReader &reader) {
  return {reader.at("view").integers(0, kMostElements), reader.at("permutation").integers(0, 64)};
}

static json writeTensor(const ManifestTensor &tensor) {
  return {{"name", tensor.name},           {"shape", tensor.shape},
          {"kind", kindName(tensor.kind)}, {"layout", writeLayout(tensor.layout)},
          {"offset", tensor.offset},       {"elements", tensor.elements}};
}

static ManifestTensor readTensor(const JsonReader &reader) {
  ManifestTensor tensor;
  tensor.name = reader.at("name").string();
  tensor.shape = reader.at("shape").integers(0, kMostElements);
  tensor.layout = readLayout(reader.at("layout"));
  tensor.kind = readKind(reader.at("kind"));
  tensor.offset = reader.at("offset").integer(0, kMostElements);
  tensor.elements = reader.at("elements").integer(0, kMostElements);
  return tensor;
}

static json writeBuffer(const ManifestBuffer &buffer) {
  return {{"name", buffer.name},
          {"shape", buffer.shape},
          {"layout", writeLayout(buffer.layout)},
          {"offset", buffer.offset}};
}

static ManifestBuffer readBuffer(const JsonReader &reader) {
  ManifestBuffer buffer;
  buffer.name = reader.at("name").string();
  buffer.shape = reader.at("shape").integers(0, kMostElements);
  buffer.layout = readLayout(reader.at("layout"));
  buffer.offset = reader.at("offset").integer(0, kMostBytes);
  return buffer;
}

static json writeClass(const ManifestClass &deviceClass) {
  return {{"name", deviceClass.name},
          {"target", deviceClass.target},
          {"library", deviceClass.library},
          {"hash", deviceClass.hash},
          {"planHash", deviceClass.planHash},
          {"microBatch", deviceClass.microBatch},
          {"threads", deviceClass.threads},
          {"arenaBytes", deviceClass.arenaBytes},
          {"weightsOffset", deviceClass.weightsOffset},
          {"gradientsOffset", deviceClass.gradientsOffset},
          {"optimizerOffsets", deviceClass.optimizerOffsets},
          {"readyAfter", deviceClass.readyAfter},
          {"input", writeBuffer(deviceClass.input)},
          {"labels", writeBuffer(deviceClass.labels)},
          {"sampleIds", writeBuffer(deviceClass.sampleIds)},
          {"loss", writeBuffer(deviceClass.loss)},
          {"logits", writeBuffer(deviceClass.logits)},
          {"evaluateInput", writeBuffer(deviceClass.evaluateInput)},
          {"evaluateLabels", writeBuffer(deviceClass.evaluateLabels)},
          {"evaluateLoss", writeBuffer(deviceClass.evaluateLoss)},
          {"evaluateLogits", writeBuffer(deviceClass.evaluateLogits)},
          {"plannedPeakBytes", deviceClass.plannedPeakBytes}};
}

static ManifestClass readClass(const JsonReader &reader) {
  ManifestClass result;
  result.name = reader.at("name").string();
  result.target = reader.at("target").string();
  result.library = reader.at("library").string();
  result.hash = reader.at("hash").string();
  result.planHash = reader.at("planHash").string();
  result.microBatch = reader.at("microBatch").integer(1, kMostSamples);
  result.threads = reader.at("threads").integer(1, kMostThreads);
  result.arenaBytes = reader.at("arenaBytes").integer(0, kMostBytes);
  result.weightsOffset = reader.at("weightsOffset").integer(0, kMostBytes);
  result.gradientsOffset = reader.at("gradientsOffset").integer(0, kMostBytes);
  result.optimizerOffsets = reader.at("optimizerOffsets").integers(0, kMostBytes);
  result.readyAfter = reader.at("readyAfter").integers(0, kMostElements);
  result.input = readBuffer(reader.at("input"));
  result.labels = readBuffer(reader.at("labels"));
  result.sampleIds = readBuffer(reader.at("sampleIds"));
  result.loss = readBuffer(reader.at("loss"));
  result.logits = readBuffer(reader.at("logits"));
  result.evaluateInput = readBuffer(reader.at("evaluateInput"));
  result.evaluateLabels = readBuffer(reader.at("evaluateLabels"));
  result.evaluateLoss = readBuffer(reader.at("evaluateLoss"));
  result.evaluateLogits = readBuffer(reader.at("evaluateLogits"));
  result.plannedPeakBytes = reader.at("plannedPeakBytes").integer(0, kMostBytes);
  return result;
}

static json writeManifest(const Manifest &manifest) {
  json tensors = json::array(), buckets = json::array(), classes = json::array(), hosts = json::array();
  for (const ManifestTensor &tensor : manifest.tensors)
    tensors.push_back(writeTensor(tensor));
  for (const ManifestBucket &bucket : manifest.buckets)
    buckets.push_back({{"first", bucket.first}, {"last", bucket.last}, {"algorithm", bucket.algorithm}});
  for (const ManifestClass &deviceClass : manifest.classes)
    classes.push_back(writeClass(deviceClass));
  for (const ManifestHost &host : manifest.hosts)
    hosts.push_back({{"name", host.name}, {"address", host.address}, {"device", host.device}, {"share", host.share}});
  const ManifestOptions &options = manifest.options;
  const ManifestPreprocess &preprocess = manifest.preprocess;
  return {{"version", manifest.version},
          {"hash", manifest.hash},
          {"modelHash", manifest.modelHash},
          {"parametersHash", manifest.parametersHash},
          {"modelName", manifest.modelName},
          {"producer", manifest.producer},
          {"tensors", tensors},
          {"weightElements", manifest.weightElements},
          {"gradientElements", manifest.gradientElements},
          {"optimizerSlots", manifest.optimizerSlots},
          {"buckets", buckets},
          {"classes", classes},
          {"hosts", hosts},
          {"options",
           {{"loss", options.loss},
            {"optimizer", options.optimizer},
            {"learningRate", options.learningRate},
            {"momentum", options.momentum},
            {"weightDecay", options.weightDecay},
            {"learningRateSchedule", options.learningRateSchedule},
            {"warmup", options.warmup},
            {"clipNorm", options.clipNorm},
            {"globalBatch", options.globalBatch},
            {"seed", options.seed},
            {"shuffle", options.shuffle}}},
          {"reduction",
           {{"name", manifest.reduction.name},
            {"ignoreIndex", manifest.reduction.ignoreIndex ? json(*manifest.reduction.ignoreIndex) : json()},
            {"classWeights", manifest.reduction.classWeights}}},
          {"preprocess",
           {{"name", preprocess.name},
            {"divisor", preprocess.divisor},
            {"mean", preprocess.mean},
            {"deviation", preprocess.deviation}}},
          {"numberOfClasses", manifest.numberOfClasses}};
}

static ManifestOptions readOptions(const JsonReader &reader) {
  ManifestOptions options;
  options.loss = reader.at("loss").string();
  options.optimizer = reader.at("optimizer").string();
  options.learningRate = reader.at("learningRate").number();
  options.momentum = reader.at("momentum").number();
  options.weightDecay = reader.at("weightDecay").number();
  options.learningRateSchedule = reader.at("learningRateSchedule").string();
  options.warmup = reader.at("warmup").string();
  options.clipNorm = reader.at("clipNorm").number();
  options.globalBatch = reader.at("globalBatch").integer(0, int64_t(1) << 31);
  options.seed = reader.at("seed").integer(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
  options.shuffle = reader.at("shuffle").boolean();
  return options;
}

static ManifestReduction readReduction(const JsonReader &reader) {
  ManifestReduction reduction;
  reduction.name = reader.at("name").string();
  if (const JsonReader ignored = reader.at("ignoreIndex"); !ignored.isNull())
    reduction.ignoreIndex = ignored.integer(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
  reduction.classWeights = reader.at("classWeights").string();
  return reduction;
}

std::string manifestToJson(const Manifest &manifest) {
  // Names come from files; what is no UTF-8 is replaced rather than refused.
  return writeManifest(manifest).dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string manifestHash(const Manifest &manifest) {
  Manifest copy = manifest;
  copy.hash.clear();
  const std::string text = manifestToJson(copy);
  return hashBytes(text.data(), text.size());
}

std::string sealedManifest(Manifest manifest) {
  manifest.hash = manifestHash(manifest);
  return manifestToJson(manifest);
}

Manifest manifestFromJson(const std::string &text, const std::string &file) {
  const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    throw inputError(file + ": is not JSON; compile the cluster binary again");
  const JsonReader reader(document, file);
  Manifest manifest;
  manifest.version = reader.at("version").integer(0, std::numeric_limits<int64_t>::max());
  if (manifest.version != kManifestVersion)
    throw inputError(file + ": is of version " + std::to_string(manifest.version) + ", this worker reads version " +
                     std::to_string(kManifestVersion) + "; compile the cluster binary again");
  manifest.hash = reader.at("hash").string();
  manifest.modelHash = reader.at("modelHash").string();
  manifest.parametersHash = reader.at("parametersHash").string();
  manifest.modelName = reader.at("modelName").string();
  manifest.producer = reader.at("producer").string();
  for (const JsonReader &tensor : reader.at("tensors").elements())
    manifest.tensors.push_back(readTensor(tensor));
  manifest.weightElements = reader.at("weightElements").integer(0, kMostElements);
  manifest.gradientElements = reader.at("gradientElements").integer(0, kMostElements);
  manifest.optimizerSlots = reader.at("optimizerSlots").strings();
  for (const JsonReader &bucket : reader.at("buckets").elements())
    manifest.buckets.push_back({bucket.at("first").integer(0, kMostElements),
                                bucket.at("last").integer(0, kMostElements), bucket.at("algorithm").string()});
  for (const JsonReader &deviceClass : reader.at("classes").elements())
    manifest.classes.push_back(readClass(deviceClass));
  for (const JsonReader &host : reader.at("hosts").elements())
    manifest.hosts.push_back({host.at("name").string(), host.at("address").string(), host.at("device").string(),
                              host.at("share").integer(0, kMostElements)});
  manifest.options = readOptions(reader.at("options"));
  manifest.reduction = readReduction(reader.at("reduction"));
  const JsonReader preprocess = reader.at("preprocess");
  manifest.preprocess = {preprocess.at("name").string(), preprocess.at("divisor").number(),
                         preprocess.at("mean").numbers(), preprocess.at("deviation").numbers()};
  manifest.numberOfClasses = reader.at("numberOfClasses").integer(0, int64_t(1) << 31);
  checkManifest(manifest, file);
  if (manifestHash(manifest) != manifest.hash)
    throw inputError(file + ": its hash does not fit its content: it was changed after it was written; compile the "
                            "cluster binary again");
  return manifest;
}

Manifest readManifest(const std::string &path) {
  if (std::filesystem::is_regular_file(std::filesystem::path(path).parent_path()))
    throw inputError(std::filesystem::path(path).parent_path().string() +
                     ": is no cluster binary; `partyline compile` makes one of a model");
  std::string text;
  readWholeFile(path, kLargestManifestFile, text);
  return manifestFromJson(text, path);
}

} // namespace partyline
