//===- manifest.h - manifest.json of a cluster binary, as structs ---------===//
//
// Written by codegen, read by the worker and by the tools. The structs have no dependencies; manifest_json.h turns
// them into JSON and back, and checks every value it reads.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partyline {

inline constexpr int64_t kManifestVersion = 1;

/// How a tensor lies in memory compared with its ONNX form: reshape the ONNX tensor to `view`, then transpose by
/// `permutation` (stored dimension i is view dimension permutation[i]). Both empty: as in ONNX.
/// A convolution's weight OIHW stored as HWIO is {view: [O,I,H,W], permutation: [2,3,1,0]}.
struct Layout {
  std::vector<int64_t> view;
  std::vector<int64_t> permutation;
  bool operator==(const Layout &) const = default;
};

enum class TensorKind {
  parameter, ///< trained: has a gradient and optimizer state
  state,     ///< BatchNorm's running mean or variance: has a statistics slot in the gradient arena, no gradient
  constant,  ///< fixed
};

/// A tensor of the weight arena. Element e of the weight arena, of the gradient arena and of each optimizer slot belong
/// together; constants lie behind the end of the gradient arena. Offsets and counts are in float elements.
struct ManifestTensor {
  std::string name; ///< the ONNX name
  std::vector<int64_t> shape;
  Layout layout;
  TensorKind kind = TensorKind::parameter;
  int64_t offset = 0; ///< first element, a multiple of 16
  int64_t elements = 0;
};

/// A range of the gradient arena that is reduced as one message.
struct ManifestBucket {
  int64_t first = 0, last = 0; ///< elements [first, last)
  std::string algorithm;       ///< "ring"
};

/// A tensor that the worker writes or reads in the activation part of the arena; the leading dimension is the batch.
struct ManifestBuffer {
  std::string name;           ///< the ONNX name of the graph's input or output; "labels", "sample_ids", "loss"
  std::vector<int64_t> shape; ///< of one sample, in ONNX order
  Layout layout;              ///< of one sample
  int64_t offset = 0;         ///< bytes from the arena's base
};

/// What is planned for one kind of device.
struct ManifestClass {
  std::string name;     ///< device name in the cluster file
  std::string target;   ///< Halide target without kernel-generator features
  std::string library;  ///< file name in the .party folder
  std::string hash;     ///< xxh3-128 of that file, 32 hex digits
  std::string planHash; ///< equals StepLibrary::hash
  int64_t microBatch = 0;
  int64_t threads = 1;
  int64_t arenaBytes = 0;
  int64_t weightsOffset = 0, gradientsOffset = 0; ///< bytes
  std::vector<int64_t> optimizerOffsets;          ///< bytes, one per optimizer slot
  std::vector<int64_t> readyAfter;                ///< bucket i is ready after forwardBackward op readyAfter[i]
  ManifestBuffer input, sampleIds;                ///< float32, int32
  ManifestBuffer labels;                          ///< int32, or float32 where the loss takes no labels
  ManifestBuffer loss, logits;                    ///< training: float32, losses; what the network said
  ManifestBuffer evaluateInput, evaluateLabels, evaluateLoss, evaluateLogits;
  int64_t plannedPeakBytes = 0;
};

/// One rank of the cluster, in rank order.
struct ManifestHost {
  std::string name, address, device;
  int64_t share = 0; ///< samples of a global batch that the plan gives this host
};

/// How images become input tensors. Values are divided by `divisor`, then (v - mean[c]) / deviation[c].
struct ManifestPreprocess {
  std::string name = "none";
  double divisor = 1;
  std::vector<double> mean, deviation; ///< one per channel, or empty
};

struct ManifestOptions {
  std::string loss = "cross_entropy";
  std::string optimizer = "sgd";
  double learningRate = 0.01, momentum = 0, weightDecay = 0;
  std::string learningRateSchedule = "constant", warmup = "0"; ///< as runtime/worker/learning_rate.h spells them
  double clipNorm = 0;                                         ///< the largest norm of a step's gradients; 0: any
  int64_t globalBatch = 0;
  int64_t seed = 0;
  bool shuffle = true;
};

/// How the losses of a global batch become one number: their sum, divided by the weights of the labels that are kept
/// ("mean"), by the number of all labels ("none"), or by nothing ("sum").
struct ManifestReduction {
  std::string name = "mean";
  std::optional<int64_t> ignoreIndex; ///< a label whose losses and gradients are 0
  std::string classWeights;           ///< the constant that holds them; empty: all are 1
};

/// What the loss compares the output with: class labels (int32), one for each of its losses, or
/// numbers of the output's shape.
inline bool takesLabels(const ManifestOptions &options) { return options.loss == "cross_entropy"; }

struct Manifest {
  int64_t version = kManifestVersion;
  std::string hash;      ///< xxh3-128 of the manifest with this field empty: covers all other files by their hashes
  std::string modelHash; ///< of model.onnx
  std::string parametersHash;
  std::string modelName;
  std::string producer; ///< "partyline VERSION"
  std::vector<ManifestTensor> tensors;
  int64_t weightElements = 0, gradientElements = 0;
  std::vector<std::string> optimizerSlots; ///< "momentum"
  std::vector<ManifestBucket> buckets;
  std::vector<ManifestClass> classes;
  std::vector<ManifestHost> hosts; ///< empty: this machine, any number of ranks
  ManifestOptions options;
  ManifestReduction reduction;
  ManifestPreprocess preprocess;
  int64_t numberOfClasses = 0;
};

} // namespace partyline
