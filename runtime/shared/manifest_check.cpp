//===- manifest_check.cpp -------------------------------------------------===//
#include "runtime/shared/manifest_check.h"

#include "runtime/shared/error.h"
#include "runtime/shared/hash.h"
#include "runtime/shared/layout.h"
#include "runtime/shared/step_abi.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace partyline {

namespace {

/// [first, last) and what lies there, for messages.
struct Range {
  int64_t first, last;
  std::string name;
};

class Checker {
public:
  Checker(const Manifest &manifest, const std::string &file) : manifest(manifest), file(file) {}

  void check() {
    checkOptions();
    checkTensors();
    checkReduction();
    checkBuckets();
    checkNames(manifest.optimizerSlots, "optimizerSlots");
    if (manifest.classes.empty())
      fail("classes", "is empty");
    std::vector<std::string> names;
    for (size_t i = 0; i < manifest.classes.size(); ++i) {
      names.push_back(manifest.classes[i].name);
      checkClass(manifest.classes[i], "classes[" + std::to_string(i) + "]");
    }
    checkNames(names, "classes");
    checkHosts(names);
  }

private:
  [[noreturn]] void fail(const std::string &key, const std::string &what) const {
    throw inputError(file + ": " + key + ": " + what);
  }

  void checkNames(const std::vector<std::string> &names, const std::string &key) const {
    std::set<std::string> seen;
    for (const std::string &name : names)
      if (name.empty() || !seen.insert(name).second)
        fail(key, name.empty() ? "a name is empty" : "the name '" + name + "' is there twice");
  }

  void checkDisjoint(std::vector<Range> ranges, const std::string &key) const {
    std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.first < b.first; });
    for (size_t i = 1; i < ranges.size(); ++i)
      if (ranges[i].first < ranges[i - 1].last)
        fail(key, ranges[i - 1].name + " and " + ranges[i].name + " overlap");
  }

  /// elementCount with this file's name in the message.
  int64_t count(const std::vector<int64_t> &shape, const std::string &key) const {
    try {
      return elementCount(shape);
    } catch (const Error &error) {
      fail(key, error.what());
    }
  }

  void checkLayoutOf(const std::vector<int64_t> &shape, const Layout &layout, const std::string &key) const {
    try {
      checkLayout(key, shape, layout);
    } catch (const Error &error) {
      throw inputError(file + ": " + error.what());
    }
  }

  void checkTensors() const {
    if (manifest.gradientElements > manifest.weightElements)
      fail("gradientElements", "is more than weightElements");
    std::vector<std::string> names;
    std::vector<Range> ranges;
    for (size_t i = 0; i < manifest.tensors.size(); ++i) {
      const ManifestTensor &tensor = manifest.tensors[i];
      const std::string key = "tensors[" + std::to_string(i) + "]";
      names.push_back(tensor.name);
      if (count(tensor.shape, key + ".shape") != tensor.elements)
        fail(key + ".elements", "does not fit the shape");
      checkLayoutOf(tensor.shape, tensor.layout, key + ".layout");
      if (tensor.offset % 16 != 0)
        fail(key + ".offset", "is no multiple of 16");
      const bool constant = tensor.kind == TensorKind::constant;
      if (constant && tensor.offset < manifest.gradientElements)
        fail(key + ".offset", "a constant lies among the parameters");
      if (tensor.offset + tensor.elements > (constant ? manifest.weightElements : manifest.gradientElements))
        fail(key + ".offset", constant ? "ends behind weightElements" : "ends behind gradientElements");
      if (tensor.elements > 0)
        ranges.push_back({tensor.offset, tensor.offset + tensor.elements, tensor.name});
    }
    checkNames(names, "tensors");
    checkDisjoint(std::move(ranges), "tensors");
  }

  void checkReduction() const {
    const ManifestReduction &reduction = manifest.reduction;
    if (reduction.name != "mean" && reduction.name != "none" && reduction.name != "sum")
      fail("reduction.name", "'" + reduction.name + "' is not known to this worker");
    const auto isClassWeights = [&](const ManifestTensor &tensor) {
      return tensor.name == reduction.classWeights && tensor.kind == TensorKind::constant &&
             tensor.elements == manifest.numberOfClasses;
    };
    if (!reduction.classWeights.empty() &&
        std::none_of(manifest.tensors.begin(), manifest.tensors.end(), isClassWeights))
      fail("reduction.classWeights", "'" + reduction.classWeights + "' is no constant of one number per class");
  }

  void checkBuckets() const {
    int64_t end = 0;
    for (size_t i = 0; i < manifest.buckets.size(); ++i) {
      const ManifestBucket &bucket = manifest.buckets[i];
      const std::string key = "buckets[" + std::to_string(i) + "]";
      if (bucket.first != end || bucket.last <= bucket.first)
        fail(key, "buckets must follow one another without a gap");
      if (bucket.algorithm != "ring")
        fail(key + ".algorithm", "'" + bucket.algorithm + "' is not known to this worker");
      // An update may take the norm of a tensor: it must see all of it.
      for (const ManifestTensor &tensor : manifest.tensors)
        if (tensor.offset < bucket.last && bucket.last < tensor.offset + tensor.elements)
          fail(key, "ends inside of tensor '" + tensor.name + "'");
      end = bucket.last;
    }
    if (end != manifest.gradientElements)
      fail("buckets", "do not end at gradientElements");
  }

  /// A persistent part of the arena: [offset, offset + elements floats).
  Range persistent(const ManifestClass &deviceClass, int64_t offset, int64_t elements, const std::string &key,
                   const std::string &name) const {
    if (offset % kArenaAlignment != 0)
      fail(key, "is no multiple of " + std::to_string(kArenaAlignment));
    if (offset + elements * int64_t(sizeof(float)) > deviceClass.arenaBytes)
      fail(key, "ends behind arenaBytes");
    return {offset, offset + elements * int64_t(sizeof(float)), name};
  }

  /// A buffer of microBatch samples of 4-byte elements. `optional`: may be left out, its name empty.
  void checkBuffer(const ManifestClass &deviceClass, const ManifestBuffer &buffer, const std::string &key,
                   bool optional, std::vector<Range> persistentRanges) const {
    if (buffer.name.empty()) {
      if (optional)
        return;
      fail(key + ".name", "is empty");
    }
    const int64_t elements = count(buffer.shape, key + ".shape");
    checkLayoutOf(buffer.shape, buffer.layout, key + ".layout");
    if (buffer.offset % kArenaAlignment != 0)
      fail(key + ".offset", "is no multiple of " + std::to_string(kArenaAlignment));
    const int64_t room = deviceClass.arenaBytes - buffer.offset;
    if (room < 0 || elements > room / 4 / deviceClass.microBatch)
      fail(key, "ends behind arenaBytes");
    persistentRanges.push_back({buffer.offset, buffer.offset + elements * 4 * deviceClass.microBatch, key});
    checkDisjoint(std::move(persistentRanges), key);
  }

  void checkScalar(const ManifestBuffer &buffer, const std::string &key) const {
    if (!buffer.name.empty() && count(buffer.shape, key + ".shape") != 1)
      fail(key + ".shape", "must be one number per sample");
  }

  void checkTargets(const ManifestBuffer &targets, const ManifestBuffer &loss, const ManifestBuffer &logits,
                    const std::string &key) const {
    if (targets.name.empty())
      return;
    const bool labels = takesLabels(manifest.options);
    if (targets.layout != Layout{} || targets.shape != (labels ? loss : logits).shape)
      fail(key + ".shape", labels ? "must be the losses'" : "must be the output's");
  }

  /// What the worker fills in before the first op must not share memory.
  void checkInputsDisjoint(const ManifestClass &deviceClass, const std::string &key) const {
    std::vector<Range> ranges;
    for (const ManifestBuffer *buffer : {&deviceClass.input, &deviceClass.labels, &deviceClass.sampleIds})
      if (!buffer->name.empty())
        ranges.push_back(
            {buffer->offset, buffer->offset + elementCount(buffer->shape) * 4 * deviceClass.microBatch, buffer->name});
    checkDisjoint(std::move(ranges), key);
  }

  void checkClass(const ManifestClass &deviceClass, const std::string &key) const {
    const std::string &library = deviceClass.library;
    if (library.empty() || library.find('/') != std::string::npos || library[0] == '.')
      fail(key + ".library", "must be the name of a file in the cluster binary");
    if (!isHash(deviceClass.hash))
      fail(key + ".hash", "must be 32 hex digits");
    if (deviceClass.optimizerOffsets.size() != manifest.optimizerSlots.size())
      fail(key + ".optimizerOffsets", "must have one offset per optimizer slot");
    if (deviceClass.readyAfter.size() != manifest.buckets.size())
      fail(key + ".readyAfter", "must have one op per bucket");

    std::vector<Range> ranges = {persistent(deviceClass, deviceClass.weightsOffset, manifest.weightElements,
                                            key + ".weightsOffset", "the weights"),
                                 persistent(deviceClass, deviceClass.gradientsOffset, manifest.gradientElements,
                                            key + ".gradientsOffset", "the gradients")};
    for (size_t i = 0; i < deviceClass.optimizerOffsets.size(); ++i)
      ranges.push_back(persistent(deviceClass, deviceClass.optimizerOffsets[i], manifest.gradientElements,
                                  key + ".optimizerOffsets", "optimizer slot '" + manifest.optimizerSlots[i] + "'"));
    std::erase_if(ranges, [](const Range &range) { return range.first == range.last; });
    checkDisjoint(ranges, key);

    checkBuffer(deviceClass, deviceClass.input, key + ".input", false, ranges);
    checkBuffer(deviceClass, deviceClass.labels, key + ".labels", false, ranges);
    checkBuffer(deviceClass, deviceClass.sampleIds, key + ".sampleIds", true, ranges);
    checkBuffer(deviceClass, deviceClass.loss, key + ".loss", false, ranges);
    checkBuffer(deviceClass, deviceClass.logits, key + ".logits", true, ranges);
    checkBuffer(deviceClass, deviceClass.evaluateInput, key + ".evaluateInput", false, ranges);
    checkBuffer(deviceClass, deviceClass.evaluateLabels, key + ".evaluateLabels", true, ranges);
    checkBuffer(deviceClass, deviceClass.evaluateLoss, key + ".evaluateLoss", true, ranges);
    checkBuffer(deviceClass, deviceClass.evaluateLogits, key + ".evaluateLogits", false, ranges);
    checkInputsDisjoint(deviceClass, key);
    checkTargets(deviceClass.labels, deviceClass.loss, deviceClass.evaluateLogits, key + ".labels");
    checkScalar(deviceClass.sampleIds, key + ".sampleIds");
    checkTargets(deviceClass.evaluateLabels, deviceClass.evaluateLoss, deviceClass.evaluateLogits,
                 key + ".evaluateLabels");
    if (!takesLabels(manifest.options))
      for (const ManifestBuffer *loss : {&deviceClass.loss, &deviceClass.evaluateLoss})
        checkScalar(*loss, key + ".loss");

    const ManifestClass &first = manifest.classes.front();
    if (deviceClass.input.shape != first.input.shape || deviceClass.evaluateInput.shape != first.input.shape)
      fail(key + ".input.shape", "must be the same in every class, in training and evaluation");
    if (deviceClass.evaluateLogits.shape != first.evaluateLogits.shape)
      fail(key + ".evaluateLogits.shape", "must be the same in every class");
    if (manifest.numberOfClasses > count(first.evaluateLogits.shape, key + ".evaluateLogits.shape"))
      fail("numberOfClasses", "is more than the network's outputs");
  }

  void checkHosts(const std::vector<std::string> &classNames) const {
    for (size_t i = 0; i < manifest.hosts.size(); ++i)
      if (std::find(classNames.begin(), classNames.end(), manifest.hosts[i].device) == classNames.end())
        fail("hosts[" + std::to_string(i) + "].device", "'" + manifest.hosts[i].device + "' is no class");
    int64_t samples = 0;
    for (const ManifestHost &host : manifest.hosts)
      samples += host.share;
    if (!manifest.hosts.empty() && samples != manifest.options.globalBatch)
      fail("hosts", "their shares sum to " + std::to_string(samples) + ", not to the global batch");
    if (manifest.hosts.empty() && manifest.classes.size() != 1)
      fail("classes", "without hosts there must be exactly one");
  }

  void checkOptions() const {
    const ManifestOptions &options = manifest.options;
    if (options.loss != "cross_entropy" && options.loss != "mse" && options.loss != "bce")
      fail("options.loss", "'" + options.loss + "' is not known to this worker");
    if (options.learningRate < 0)
      fail("options.learningRate", "is negative");
    if (options.clipNorm < 0)
      fail("options.clipNorm", "is negative");
    const ManifestPreprocess &preprocess = manifest.preprocess;
    if (!(preprocess.divisor > 0))
      fail("preprocess.divisor", "must be more than 0");
    for (double deviation : preprocess.deviation)
      if (!(deviation > 0))
        fail("preprocess.deviation", "must be more than 0");
  }

  const Manifest &manifest;
  const std::string &file;
};

} // namespace

void checkManifest(const Manifest &manifest, const std::string &file) { Checker(manifest, file).check(); }

const ManifestClass &findClass(const Manifest &manifest, const std::string &name) {
  std::string names;
  for (const ManifestClass &deviceClass : manifest.classes) {
    if (name.empty() || deviceClass.name == name)
      return deviceClass;
    names += (names.empty() ? "" : ", ") + deviceClass.name;
  }
  throw inputError("the binary has no class '" + name + "'; it has: " + names);
}

} // namespace partyline
