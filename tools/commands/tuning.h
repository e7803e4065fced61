//===- tools/commands/tuning.h - compile --tune ---------------------------===//
#pragma once

#include "codegen/party_builder.h"

#include <filesystem>
#include <functional>

namespace partyline::commands {

/// Builds the model as a cluster binary whose kernels have these candidates.
using BuildCandidates = std::function<void(const codegen::DeviceChoice &choice, const std::filesystem::path &party)>;

/// Measures the candidates of every kernel for every class, on this machine (through the class's runner where it has
/// one), and returns the fastest. What was measured before under the same conditions is taken from the cache. Every
/// candidate's step runs in turns with the formulas', so that a machine that slows down does not choose. Throws an
/// Error where a class's programs cannot run here. `verbose`: says what every candidate of every kernel took.
codegen::DeviceChoice tuneKernels(const Cluster &cluster, const BuildCandidates &build, bool verbose);

} // namespace partyline::commands
