//===- ir/kernel_spec.h - which kernel an op needs, and with what ---------===//
//
// The vocabulary that ops, code generation and the kernel generator share. Plain structs: no MLIR, no Halide.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace partyline {

/// A kernel to generate: a family of codegen/kernels/ and the compile-time parameters of this member.
struct KernelSpec {
  using Parameter = std::variant<int64_t, double, std::string>;
  std::string family;
  std::map<std::string, Parameter> parameters;
  bool operator==(const KernelSpec &) const = default;
  auto operator<=>(const KernelSpec &) const = default;
};

/// A scalar argument of a kernel: a constant, or a field of the StepCall (runtime/shared/step_abi.h).
struct KernelScalar {
  enum class Source {
    constantFloat,
    constantInt,
    accumulate,
    scale,
    sampleWeight,
    unbiasedWeight, ///< sampleWeight * m / (m - 1), of m = value * samples: makes a population variance unbiased
    learningRate,
    seed,
    step
  };
  Source source = Source::constantInt;
  double value = 0; ///< of the constants and of unbiasedWeight
};

/// One dimension of a kernel's buffer argument, sizes in elements. The extent at run time is
/// perSample * samples + fixed, or the call's element count where perCount is set.
struct BufferDimension {
  int64_t perSample = 0;
  int64_t fixed = 0;
  int64_t stride = 1; ///< 0 broadcasts
  bool perCount = false;
};

enum class ElementType { float32, int32, uint8, uint16 };

inline int64_t byteSize(ElementType type) {
  switch (type) {
  case ElementType::uint8:
    return 1;
  case ElementType::uint16:
    return 2;
  default:
    return 4;
  }
}

} // namespace partyline
