//===- reference.h - an interpreter of @model in double precision ---------===//
//
// Plain loops written from the ONNX operators' definitions, on the IR as it was imported: NCHW, without a loss, or with
// the model's own. Layout, backward pass, arena and kernels are all on the other side.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tests/ops/batch.h"
#include "tests/ops/model_builder.h"

#include <optional>

namespace partyline::ops_test {

/// What the interpreter is given besides the model, and what it says besides its results.
struct ReferenceRun {
  const std::map<std::string, Tensor> &weights;
  const Batch &batch;
  bool isTraining;
  /// By layer: what dropout multiplies its input by in training.
  std::map<int64_t, Tensor> dropoutMasks;
  /// By the name of the state: the statistic of this batch that it moves towards, in training.
  std::map<std::string, Tensor> statistics = {};
  std::string batchNorm = "train"; ///< the model's --batchnorm
  /// Whether sums and results are of float, as a plain float implementation has them: to tell what rounding does.
  bool inFloat = false;
};

using Operands = std::vector<const Tensor *>;

/// Computes the results of one op; what is left of them when the op has more may be left out if nothing uses it.
using ReferenceOp = std::vector<Tensor> (*)(mlir::Operation *op, const Operands &operands, ReferenceRun &run);

/// What is known of an op when its gradient is computed: of the first of its results.
struct ReferenceResult {
  Operands operands, results;
  const Tensor &gradient;
};

/// Computes the gradients of an op's operands; an empty tensor where there is none.
using ReferenceGradient = std::vector<Tensor> (*)(mlir::Operation *op, const ReferenceResult &at, ReferenceRun &run);

/// The functions for an op of the dialect, or null. Gradients are there for the ops of the zoo; finite differences hold
/// all of them to account. By families:
ReferenceOp findReference(llvm::StringRef operation);
const std::map<std::string, ReferenceOp> &elementwiseReference();
const std::map<std::string, ReferenceOp> &unaryReference();
const std::map<std::string, ReferenceOp> &linearReference();
const std::map<std::string, ReferenceOp> &poolingReference();
const std::map<std::string, ReferenceOp> &normalisationReference();
const std::map<std::string, ReferenceOp> &shapeReference();
ReferenceGradient findReferenceGradient(llvm::StringRef operation);
const std::map<std::string, ReferenceGradient> &elementwiseGradients();
const std::map<std::string, ReferenceGradient> &linearGradients();
const std::map<std::string, ReferenceGradient> &poolingGradients();
const std::map<std::string, ReferenceGradient> &normalisationGradients();
const std::map<std::string, ReferenceGradient> &shapeGradients();
const std::map<std::string, ReferenceOp> &lossReference(); // of losses in the model

struct ReferenceAnswers {
  Tensor output; ///< what @model returns, last
  Tensor losses; ///< the model's own, or per sample; of the scores behind a trailing softmax or sigmoid where the loss
                 ///< absorbs it
};

/// Interprets the model's @model.
ReferenceAnswers interpret(const Model &model, ReferenceRun &run);

/// Of all values by Value::getAsOpaquePointer(). A map: operands point into it.
using Values = std::map<const void *, Tensor>;

/// Interprets the model's @model: the tensors of all its values.
Values interpretValues(const Model &model, ReferenceRun &run);

/// By reverse accumulation, the gradients of the mean loss: of the parameters, by name.
std::map<std::string, Tensor> interpretGradients(const Model &model, ReferenceRun &run);

/// The sums of [samples, channels, ...] for every channel.
Tensor sumsOfChannels(const Tensor &x);

/// The losses of [samples, ...] that an output has, or the scores behind it (reference_losses.cpp).
Tensor crossEntropy(const Tensor &scores, const Tensor &labels, double labelSmoothing);
Tensor meanSquaredError(const Tensor &output, const Tensor &targets);
Tensor binaryCrossEntropy(const Tensor &scores, const Tensor &targets);

/// The gradients of the means of two of them over the samples.
Tensor crossEntropyGradient(const Tensor &scores, const Tensor &labels, double labelSmoothing);
Tensor meanSquaredErrorGradient(const Tensor &output, const Tensor &targets);

} // namespace partyline::ops_test
