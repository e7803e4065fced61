//===- checks.h - a compiled model against its reference ------------------===//
#pragma once

#include "tests/ops/compiled_step.h"
#include "tests/ops/reference.h"

namespace partyline::ops_test {

/// A random batch for the model.
Batch batchFor(const Model &model, int64_t samples);

/// Fails the test unless every |actual - expected| <= tolerance * the largest |expected| (and a little for zeros).
void expectClose(const std::string &name, const Tensor &actual, const Tensor &expected, double tolerance);

/// The gradients in `step` against central differences of the reference's mean loss over `batch`, element by element;
/// of large tensors some elements, and the derivative along a direction that all elements are part of.
void expectGradients(const CompiledStep &step, const Model &model, const Batch &batch,
                     const std::map<int64_t, Tensor> &dropoutMasks = {});

/// All that holds for every model without dropout, for a batch of `samples`, more than one:
///  - logits, losses, gradients and statistics of a full micro-batch are the reference's;
///  - two micro-batches, neither of them full, add up; without batch_norm to those of the whole;
///  - evaluate says what the reference says at inference;
///  - update is one step of SGD, and moves the running statistics.
void expectReference(const Model &model, int64_t samples);

} // namespace partyline::ops_test
