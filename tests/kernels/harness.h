//===- harness.h - compiles kernels as the compiler does, and calls them --===//
//
// A test names kernels by family and parameters; the built partyline-kernelgen compiles them in one run, ld.lld links
// them, dlopen loads them, this program is their runtime. Random tensors end at a page that must not be touched, so
// that a kernel that reads past the end crashes. The others begin at a multiple of 64 bytes as those in the arena do,
// which Halide relies on where an output is updated in place, and have red zones around them that catch writes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/kernel_spec.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <variant>
#include <vector>

namespace partyline::kernels::test {

/// A buffer argument. Shape and strides are outermost first, strides in elements; by default the tensor is dense.
class Tensor {
public:
  explicit Tensor(std::vector<int> shape, ElementType type = ElementType::float32, std::vector<int> strides = {});
  Tensor(std::vector<int> shape, const std::vector<float> &values); ///< dense, values in C order
  Tensor(const Tensor &other);            ///< begins at a multiple of 64 bytes, whatever the other does
  Tensor &operator=(const Tensor &other); ///< stays where it is if it has the other's shape
  ~Tensor();

  /// For inputs: values in [low, high) in memory order, from the generator alone: the same on every machine.
  static Tensor random(std::vector<int> shape, std::mt19937 &generator, float low = -1, float high = 1);

  template <typename T> T *data() { return reinterpret_cast<T *>(start); }
  template <typename T> const T *data() const { return reinterpret_cast<const T *>(start); }
  float &operator[](size_t index) { return data<float>()[index]; }
  float operator[](size_t index) const { return data<float>()[index]; }
  template <typename T = float> T &at(const std::vector<int> &index) { return data<T>()[offset(index)]; }
  template <typename T = float> T at(const std::vector<int> &index) const { return data<T>()[offset(index)]; }

  const std::vector<int> &shape() const { return extents; }
  const std::vector<int> &strides() const { return steps; }
  ElementType type() const { return elementType; }
  size_t size() const { return count; } ///< elements in memory
  void fill(float value);               ///< every element, converted to the tensor's type
  bool redZonesIntact() const;

private:
  size_t offset(const std::vector<int> &index) const;
  void allocate(bool exactEnd);

  std::vector<int> extents, steps;
  ElementType elementType;
  size_t count = 0;
  uint8_t *mapping = nullptr, *start = nullptr;
  size_t usableSize = 0, mappingSize = 0;
};

using Scalar = std::variant<int32_t, uint32_t, float>;

/// Kernels compiled by one run of partyline-kernelgen and linked into one library.
class KernelLibrary {
public:
  /// For the target that PARTYLINE_TEST_TARGET names, if set (x86-64-linux: what older machines would run), or host.
  explicit KernelLibrary(const std::vector<KernelSpec> &kernels);
  KernelLibrary(const KernelLibrary &) = delete;
  KernelLibrary &operator=(const KernelLibrary &) = delete;
  ~KernelLibrary();

  /// Calls a kernel: scalars, then buffers in the order of the family's table; a buffer that is read and written is
  /// named twice. Fails the test where the kernel returns an error or touches a red zone.
  void run(size_t kernel, const std::vector<Scalar> &scalars, const std::vector<Tensor *> &buffers) const;

private:
  std::string folder;
  void *handle = nullptr;
  std::vector<void *> functions;
};

/// One kernel by itself.
class CompiledKernel {
public:
  CompiledKernel(const std::string &family, const std::map<std::string, KernelSpec::Parameter> &parameters)
      : library({KernelSpec{family, parameters}}) {}
  void run(const std::vector<Scalar> &scalars, const std::vector<Tensor *> &buffers) const {
    library.run(0, scalars, buffers);
  }

private:
  KernelLibrary library;
};

/// How many threads halide_do_par_for uses; results must not depend on it. 1 until set.
void setThreads(int threads);

/// Compiles for a target that need not run here, and returns the undefined symbols of all objects that the worker does
/// not publish.
std::vector<std::string> foreignSymbols(const std::vector<KernelSpec> &kernels, const std::string &target);

/// Fails where any element differs from the reference by more than tolerance * max(1, magnitude of the reference).
void expectClose(const Tensor &actual, const std::vector<double> &expected, double tolerance, const std::string &what);

} // namespace partyline::kernels::test
