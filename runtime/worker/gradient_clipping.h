//===- gradient_clipping.h - gradients of a bounded norm ------------------===//
#pragma once

#include "runtime/shared/manifest.h"

namespace partyline::runtime {

/// Multiplies the gradients of all parameters by min(1, most / (norm + 1e-6)), norm being that of all of them together:
/// PyTorch's clip_grad_norm_. Statistics stay. Returns the norm. Every rank that has the same gradients makes the same
/// bits of them: squares of floats are exact in double, whatever a compiler contracts, and are added in a fixed order.
double clipGradients(const Manifest &manifest, float *gradients, double most);

} // namespace partyline::runtime
