//===- registry.cpp - the table of kernel families and their parameters ---===//
#include "codegen/kernels/kernel.h"
#include "runtime/shared/error.h"

#include <limits>

namespace partyline::kernels {

std::map<std::string, KernelFamily> &kernelFamilies() {
  static std::map<std::string, KernelFamily> families;
  return families;
}

int Parameters::integer(const std::string &name) const {
  auto found = integers.find(name);
  if (found == integers.end())
    throw inputError("parameter '" + name + "' must be an integer");
  if (found->second < std::numeric_limits<int>::min() || found->second > std::numeric_limits<int>::max())
    throw inputError("parameter '" + name + "' does not fit 32 bits: " + std::to_string(found->second));
  return static_cast<int>(found->second);
}

int Parameters::candidate() const { return integers.count(kCandidateParameter) ? integer(kCandidateParameter) : 0; }

double Parameters::real(const std::string &name) const {
  if (auto found = reals.find(name); found != reals.end())
    return found->second;
  if (auto found = integers.find(name); found != integers.end())
    return static_cast<double>(found->second);
  throw inputError("parameter '" + name + "' must be a number");
}

const std::string &Parameters::text(const std::string &name) const {
  auto found = texts.find(name);
  if (found == texts.end())
    throw inputError("parameter '" + name + "' must be a string");
  return found->second;
}

} // namespace partyline::kernels
