//===- checkpoint.cpp - writing and reading the file ----------------------===//
//
// The header:
//   {"model": {"hash", "name"}, "step", "epoch", "position", "seed", "metrics": {NAME: number},
//    "tensors": [{"name", "slot", "shape": [...], "offset"}]}
// Offsets are in bytes from the end of the header; tensors follow each other without gaps. The header ends in spaces,
// so that the values begin at a multiple of 64 bytes.
//
// Reading trusts nothing: the checksum comes first, and since every tensor must lie where the one before ends, a header
// cannot ask for more memory than the file is long.
//
//===----------------------------------------------------------------------===//
#include "runtime/checkpoint/checkpoint.h"

#include "runtime/shared/error.h"
#include "runtime/shared/file.h"
#include "runtime/shared/json_reader.h"
#include "runtime/shared/layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

static_assert(std::endian::native == std::endian::little, "values are read and written as they lie in memory");

namespace partyline::runtime {

namespace {

constexpr char kMagic[8] = {'P', 'A', 'R', 'T', 'Y', 'C', 'K', 'P'};
constexpr uint32_t kVersion = 1;
/// A tensor takes some 100 bytes of header: this is far beyond any model.
constexpr int64_t kLongestHeader = 64 << 20;

struct Preamble {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
  uint64_t headerBytes;
};
static_assert(sizeof(Preamble) == 24);

/// xxh3-128 of what has been fed to it.
class Checksum {
public:
  Checksum() : state(XXH3_createState(), XXH3_freeState) { XXH3_128bits_reset(state.get()); }
  void feed(const void *bytes, size_t count) { XXH3_128bits_update(state.get(), bytes, count); }
  XXH128_canonical_t digest() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state.get()));
    return canonical;
  }

private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t *)> state;
};

std::string headerOf(const Checkpoint &checkpoint) {
  nlohmann::json metrics = nlohmann::json::object(), tensors = nlohmann::json::array();
  for (const auto &[name, value] : checkpoint.metrics)
    if (std::isfinite(value)) // JSON has no other numbers
      metrics[name] = value;
  int64_t offset = 0;
  for (const CheckpointTensor &tensor : checkpoint.tensors) {
    tensors.push_back({{"name", tensor.name}, {"slot", tensor.slot}, {"shape", tensor.shape}, {"offset", offset}});
    offset += tensor.values.size() * sizeof(float);
  }
  nlohmann::json header = {{"model", {{"hash", checkpoint.modelHash}, {"name", checkpoint.modelName}}},
                           {"step", checkpoint.step},
                           {"epoch", checkpoint.epoch},
                           {"position", checkpoint.position},
                           {"seed", checkpoint.seed},
                           {"metrics", std::move(metrics)},
                           {"tensors", std::move(tensors)}};
  std::string text = header.dump();
  text.resize((sizeof(Preamble) + text.size() + 63) / 64 * 64 - sizeof(Preamble), ' ');
  return text;
}

[[noreturn]] void throwDamaged(const std::string &path, const std::string &why) {
  throw inputError(path + ": " + why + ": the checkpoint is damaged; remove it and go on from another one");
}

void verifyChecksum(const InputFile &file) {
  Checksum checksum;
  std::vector<char> piece(size_t(1) << 18);
  int64_t end = file.size() - sizeof(XXH128_canonical_t);
  for (int64_t offset = 0; offset < end; offset += piece.size()) {
    size_t bytes = std::min<int64_t>(piece.size(), end - offset);
    file.readAt(offset, piece.data(), bytes);
    checksum.feed(piece.data(), bytes);
  }
  XXH128_canonical_t written, computed = checksum.digest();
  file.readAt(end, &written, sizeof written);
  if (std::memcmp(&written, &computed, sizeof written) != 0)
    throwDamaged(file.path(), "its checksum differs (it is truncated or was changed)");
}

nlohmann::json parseHeader(const InputFile &file, const std::string &text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception &) {
    throwDamaged(file.path(), "its header is not JSON");
  }
}

CheckpointTensor readTensor(const InputFile &file, const JsonReader &entry, int64_t dataBegin, int64_t &at) {
  CheckpointTensor tensor;
  tensor.name = entry.at("name").string();
  tensor.slot = entry.at("slot").string();
  tensor.shape = entry.at("shape").integers(0, INT64_MAX);
  int64_t bytesLeft = file.size() - int64_t(sizeof(XXH128_canonical_t)) - dataBegin - at;
  int64_t elements = 1;
  for (int64_t extent : tensor.shape)
    if (__builtin_mul_overflow(elements, extent, &elements))
      entry.at("shape").fail("has too many elements");
  if (elements > bytesLeft / int64_t(sizeof(float)))
    entry.fail("lies beyond the end of the file");
  if (entry.at("offset").integer(0, INT64_MAX) != at)
    entry.at("offset").fail("is not where the tensor before it ends");
  tensor.values.resize(elements);
  file.readAt(dataBegin + at, tensor.values.data(), elements * sizeof(float));
  at += elements * sizeof(float);
  return tensor;
}

} // namespace

std::string checkpointFileName(int64_t step) {
  std::string digits = std::to_string(step);
  return "step-" + std::string(digits.size() < 8 ? 8 - digits.size() : 0, '0') + digits + ".ckpt";
}

std::string writeCheckpoint(const std::string &folder, const Checkpoint &checkpoint) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code)
    throw runError(folder + ": cannot be made for the checkpoints: " + code.message());
  for (const CheckpointTensor &tensor : checkpoint.tensors)
    if (elementCount(tensor.shape) != int64_t(tensor.values.size()))
      throw runError("checkpoint: tensor '" + tensor.name + "' has another number of values than its shape");

  std::string path = folder + "/" + checkpointFileName(checkpoint.step);
  AtomicFile file(path);
  Checksum checksum;
  auto write = [&](const void *bytes, size_t count) {
    checksum.feed(bytes, count);
    file.write(bytes, count);
  };
  std::string header = headerOf(checkpoint);
  Preamble preamble = {{}, kVersion, 0, header.size()};
  std::memcpy(preamble.magic, kMagic, sizeof kMagic);
  write(&preamble, sizeof preamble);
  write(header.data(), header.size());
  for (const CheckpointTensor &tensor : checkpoint.tensors)
    write(tensor.values.data(), tensor.values.size() * sizeof(float));
  XXH128_canonical_t digest = checksum.digest();
  file.write(&digest, sizeof digest);
  file.commit();
  return path;
}

Checkpoint readCheckpoint(const std::string &path) {
  InputFile file(path);
  constexpr int64_t kFrame = sizeof(Preamble) + sizeof(XXH128_canonical_t);
  Preamble preamble;
  if (file.size() < kFrame)
    throwDamaged(path, "it is only " + std::to_string(file.size()) + " bytes long");
  file.readAt(0, &preamble, sizeof preamble);
  if (std::memcmp(preamble.magic, kMagic, sizeof kMagic) != 0)
    throw inputError(path + ": is no checkpoint (it does not begin as one)");
  if (preamble.version != kVersion)
    throw inputError(path + ": is a checkpoint of version " + std::to_string(preamble.version) +
                     "; this program reads version " + std::to_string(kVersion));
  verifyChecksum(file);
  if (preamble.headerBytes > uint64_t(std::min(kLongestHeader, file.size() - kFrame)))
    throwDamaged(path, "its header is longer than the file or than any header");

  std::string text(preamble.headerBytes, '\0');
  file.readAt(sizeof preamble, text.data(), text.size());
  nlohmann::json json = parseHeader(file, text);
  JsonReader header(json, path);
  Checkpoint checkpoint;
  checkpoint.modelHash = header.at("model").at("hash").string();
  checkpoint.modelName = header.at("model").at("name").string();
  checkpoint.step = header.at("step").integer(0, INT64_MAX);
  checkpoint.epoch = header.at("epoch").integer(0, INT64_MAX);
  checkpoint.position = header.at("position").integer(0, INT64_MAX);
  checkpoint.seed = header.at("seed").integer(INT64_MIN, INT64_MAX);
  JsonReader metrics = header.at("metrics");
  if (!json["metrics"].is_object())
    metrics.fail("must be an object");
  for (const auto &[name, value] : json["metrics"].items())
    checkpoint.metrics[name] = metrics.at(name).number();

  int64_t dataBegin = sizeof(Preamble) + text.size(), at = 0;
  for (const JsonReader &entry : header.at("tensors").elements())
    checkpoint.tensors.push_back(readTensor(file, entry, dataBegin, at));
  if (dataBegin + at + int64_t(sizeof(XXH128_canonical_t)) != file.size())
    throwDamaged(path, "it holds more than its header speaks of");
  return checkpoint;
}

} // namespace partyline::runtime
