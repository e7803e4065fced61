//===- codegen/kernel_library.h - from kernel specs to objects ------------===//
//
// Kernels are made by partyline-kernelgen, a program of its own (it links Halide, this process links MLIR: they must
// not meet), and kept on disk: the same kernel for the same target is made once, whoever compiles.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/kernel_spec.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace partyline::codegen {

/// {"family":...,"parameters":{...}} with sorted keys and numbers that keep their type: equal text, equal kernel.
std::string canonicalJson(const KernelSpec &spec);

/// FAMILY_<16 hex digits>: the C function that the kernel's object defines.
std::string kernelSymbol(const KernelSpec &spec);

/// $PARTYLINE_KERNELGEN, or partyline-kernelgen beside the running program or in ../libexec/partyline from there.
/// Throws an Error that says where it was looked for.
std::filesystem::path findKernelGenerator();

/// $PARTYLINE_CACHE, or partyline in $XDG_CACHE_HOME or in ~/.cache.
std::filesystem::path cacheFolder();

/// A Halide target with `host` and left-out parts filled in. Throws inputError for what is no target.
std::string resolveTarget(const std::string &target);

/// Called as kernels come: how many of the missing ones are there, of how many.
using KernelProgress = std::function<void(size_t done, size_t missing)>;

/// One object per distinct spec, in the order of their symbols. The files lie in the cache and may be used by other
/// compilers at the same time; missing ones are generated, `jobs` at a time (0: one per core).
std::vector<std::filesystem::path> generateKernels(const std::vector<KernelSpec> &specs, const std::string &target,
                                                   unsigned jobs = 0, const KernelProgress &progress = {});

} // namespace partyline::codegen
