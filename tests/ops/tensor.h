//===- tensor.h - dense tensors of double, as the reference computes ------===//
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace partyline::ops_test {

using Shape = std::vector<int64_t>;

inline int64_t product(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

/// Row-major.
struct Tensor {
  Shape shape;
  std::vector<double> data;

  Tensor() = default;
  explicit Tensor(Shape shape) : shape(std::move(shape)), data(size_t(product(this->shape))) {}
  Tensor(Shape shape, const std::vector<float> &values) : shape(std::move(shape)), data(values.begin(), values.end()) {}

  double &operator[](int64_t element) { return data[size_t(element)]; }
  double operator[](int64_t element) const { return data[size_t(element)]; }
  int64_t size() const { return int64_t(data.size()); }
};

} // namespace partyline::ops_test
