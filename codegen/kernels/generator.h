//===- generator.h - kernel specifications in, object files out -----------===//
#pragma once

#include "codegen/kernels/kernel.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace partyline::kernels {

/// One kernel to make: a member of a family under the C name it is called by.
struct KernelRequest {
  std::string symbol;
  std::string family;
  Parameters parameters;
  std::string description; ///< the parameters as JSON, for messages
};

/// A Halide target with `host` and defaults resolved, and the features that every kernel is built with.
Halide::Target resolveTarget(const std::string &text);

/// Reads a JSON array of {"symbol", "family", "parameters"}. Unknown families, and parameters that are missing or too
/// many, are Errors that name the entry.
std::vector<KernelRequest> readRequests(const std::string &file);

/// Writes directory/symbol.o, beside first and then renamed.
void compileKernel(const KernelRequest &request, const Halide::Target &target, const std::string &directory);

/// Compiles all of them in `jobs` processes and prints one line per kernel. Returns the process's exit code.
int compileKernels(const std::vector<KernelRequest> &requests, const Halide::Target &target,
                   const std::string &directory, int jobs);

/// Lists the families and their parameters, one a line.
void printFamilies(std::ostream &out);

} // namespace partyline::kernels
