//===- tensor.cpp - buffers that catch accesses outside -------------------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace partyline::kernels::test {

namespace {

constexpr size_t kRedZone = 256, kAlignment = 64;
constexpr uint8_t kRedByte = 0xa5;

std::vector<int> denseStrides(const std::vector<int> &shape) {
  std::vector<int> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

} // namespace

Tensor::Tensor(std::vector<int> shape, ElementType type, std::vector<int> strides)
    : extents(std::move(shape)), steps(strides.empty() ? denseStrides(extents) : std::move(strides)),
      elementType(type) {
  allocate(/*exactEnd=*/false);
  // What a kernel does not write must show.
  if (elementType == ElementType::float32)
    fill(NAN);
  else
    fill(77);
}

Tensor::Tensor(std::vector<int> shape, const std::vector<float> &values) : Tensor(std::move(shape)) {
  if (values.size() != count)
    throw std::invalid_argument("Tensor: as many values as the shape has elements");
  std::copy(values.begin(), values.end(), data<float>());
}

Tensor::Tensor(const Tensor &other) : extents(other.extents), steps(other.steps), elementType(other.elementType) {
  allocate(/*exactEnd=*/false);
  std::memcpy(start, other.start, count * byteSize(elementType));
}

Tensor &Tensor::operator=(const Tensor &other) {
  if (this == &other)
    return *this;
  if (extents == other.extents && steps == other.steps && elementType == other.elementType) {
    std::memcpy(start, other.start, count * byteSize(elementType));
  } else {
    this->~Tensor();
    new (this) Tensor(other);
  }
  return *this;
}

Tensor::~Tensor() { munmap(mapping, mappingSize); }

Tensor Tensor::random(std::vector<int> shape, std::mt19937 &generator, float low, float high) {
  Tensor result(std::move(shape));
  munmap(result.mapping, result.mappingSize);
  result.allocate(/*exactEnd=*/true);
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = low + (high - low) * static_cast<float>(generator() >> 8) / (1 << 24);
  return result;
}

void Tensor::allocate(bool exactEnd) {
  count = 1;
  for (size_t i = 0; i < extents.size(); ++i)
    count += static_cast<size_t>(extents[i] - 1) * steps[i];
  const size_t page = sysconf(_SC_PAGESIZE), bytes = count * byteSize(elementType);
  usableSize = (bytes + 2 * kRedZone + page - 1) / page * page;
  mappingSize = usableSize + page;
  void *memory = mmap(nullptr, mappingSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  mapping = static_cast<uint8_t *>(memory);
  mprotect(mapping + usableSize, page, PROT_NONE);
  start = mapping + (exactEnd ? usableSize - bytes : (usableSize - bytes) / kAlignment * kAlignment);
  std::memset(mapping, kRedByte, start - mapping);
  std::memset(start + bytes, kRedByte, mapping + usableSize - start - bytes);
}

void Tensor::fill(float value) {
  switch (elementType) {
  case ElementType::float32:
    std::fill_n(data<float>(), count, value);
    break;
  case ElementType::int32:
    std::fill_n(data<int32_t>(), count, static_cast<int32_t>(value));
    break;
  case ElementType::uint8:
    std::fill_n(data<uint8_t>(), count, static_cast<uint8_t>(value));
    break;
  case ElementType::uint16:
    std::fill_n(data<uint16_t>(), count, static_cast<uint16_t>(value));
    break;
  }
}

bool Tensor::redZonesIntact() const {
  const auto isRed = [](uint8_t byte) { return byte == kRedByte; };
  return std::all_of(mapping, start, isRed) &&
         std::all_of(start + count * byteSize(elementType), mapping + usableSize, isRed);
}

size_t Tensor::offset(const std::vector<int> &index) const {
  size_t result = 0;
  for (size_t i = 0; i < index.size(); ++i)
    result += static_cast<size_t>(index[i]) * steps[i];
  return result;
}

void expectClose(const Tensor &actual, const std::vector<double> &expected, double tolerance, const std::string &what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double limit = tolerance * std::max(1.0, std::abs(expected[i]));
    // Written so that NaN fails.
    if (!(std::abs(actual[i] - expected[i]) <= limit)) {
      ADD_FAILURE() << what << ": element " << i << " is " << actual[i] << ", not " << expected[i];
      return;
    }
  }
}

} // namespace partyline::kernels::test
