//===- compiled_step.h - a model compiled and run as the worker does it ---===//
//
// All passes, the plan, real kernels, a step library loaded by the worker's own loader and run by its step loop. What
// goes in and comes out is in ONNX order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tests/ops/batch.h"
#include "tests/ops/model_builder.h"

#include "codegen/temporary_file.h"
#include "passes/pipeline.h"
#include "runtime/step/step_library.h"
#include "runtime/step/step_loop.h"

#include <memory>
#include <optional>

namespace partyline::ops_test {

/// What the network says of a batch.
struct Answers {
  Tensor logits; ///< [samples, classes]
  Tensor losses; ///< [samples]
};

class CompiledStep {
public:
  /// Compiles a copy of the model for this machine. The arena holds its weights, zeros as the optimizer's state, and
  /// NaN in all other places.
  CompiledStep(const Model &model, int64_t microBatch);

  uint32_t stepNumber = 3; ///< what dropout's masks depend on besides the sample, and AdamW's bias correction

  /// One micro-batch, forward and backward: into the gradient arena, or added to it.
  Answers forwardBackward(const Batch &batch, float scale, bool accumulate = false);
  Answers evaluate(const Batch &batch);
  /// One step of the optimizer, and of the running statistics.
  void update(float learningRate);

  /// From the gradient arena: gradients of parameters, statistics of states.
  std::map<std::string, Tensor> gradients() const;
  std::map<std::string, Tensor> weights() const;
  TensorKind kindOf(const std::string &name) const;

private:
  const ManifestClass &deviceClass() const { return manifest.classes.front(); }
  void store(const Batch &batch, const ManifestBuffer &input, const ManifestBuffer &labels);
  Answers answers(int64_t samples, const ManifestBuffer &logits, const ManifestBuffer &loss) const;
  std::map<std::string, Tensor> tensorsAt(int64_t offset, int64_t elements) const;

  codegen::TemporaryFolder folder{"partyline-ops"};
  Manifest manifest;
  std::optional<runtime::LoadedStepLibrary> library;
  std::optional<runtime::Arena> arena;
  std::optional<runtime::StepLoop> steps;
};

} // namespace partyline::ops_test
