//===- codegen/step_library.h - a step program becomes a step library -----===//
#pragma once

#include "codegen/kernel_library.h"
#include "codegen/step_program.h"

namespace partyline::codegen {

/// The distinct kernels of a program.
std::vector<KernelSpec> kernelsOf(const StepProgram &program);

/// Generates what kernels are missing, emits the step, links both to the shared library `output` and checks that it
/// needs nothing but the worker's interface. `target` is a resolved Halide target.
void buildStepLibrary(const StepProgram &program, const std::string &target, const std::string &planHash,
                      const std::filesystem::path &output, unsigned jobs = 0, const KernelProgress &progress = {});

} // namespace partyline::codegen
