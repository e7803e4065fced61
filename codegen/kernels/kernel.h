//===- codegen/kernels/kernel.h - what a kernel family is -----------------===//
//
// A family is one file: it states THE ALGORITHM, then THE SCHEDULE, and registers itself. Nothing else lists it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <Halide.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace partyline::kernels {

/// The parameter that any family with several schedules takes.
inline constexpr const char *kCandidateParameter = "candidate";

/// The compile-time parameters of one kernel. Asking for one that is missing or of another type is an Error.
class Parameters {
public:
  void set(const std::string &name, int64_t value) { integers[name] = value; }
  void set(const std::string &name, double value) { reals[name] = value; }
  void set(const std::string &name, const std::string &value) { texts[name] = value; }
  int integer(const std::string &name) const;
  double real(const std::string &name) const;
  const std::string &text(const std::string &name) const;
  /// Which of the family's schedules: 0, the formula's, where the request names none.
  int candidate() const;

private:
  std::map<std::string, int64_t> integers;
  std::map<std::string, double> reals;
  std::map<std::string, std::string> texts;
};

/// A scheduled pipeline and its arguments in call order: scalars, input buffers; the outputs follow.
struct Kernel {
  std::vector<Halide::Argument> arguments;
  std::vector<Halide::Func> outputs;
};

using BuildKernel = std::function<Kernel(const Parameters &parameters, const Halide::Target &target)>;

struct KernelFamily {
  std::string name;
  std::vector<std::string> parameters; ///< names, for messages and --families
  int candidates;                      ///< schedules, of which `candidate` names one
  BuildKernel build;
};

/// All registered families by name.
std::map<std::string, KernelFamily> &kernelFamilies();

/// `static RegisterKernel relu("relu", {}, buildRelu);` in the family's file.
struct RegisterKernel {
  RegisterKernel(const std::string &name, std::vector<std::string> parameters, BuildKernel build, int candidates = 1) {
    kernelFamilies()[name] = {name, std::move(parameters), candidates, std::move(build)};
  }
};

} // namespace partyline::kernels
