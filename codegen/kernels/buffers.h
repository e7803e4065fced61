//===- buffers.h - how kernels see their buffers --------------------------===//
#pragma once

#include <Halide.h>

#include <string>
#include <vector>

namespace partyline::kernels {

/// States that a buffer is dense, begins at 0 and has these extents, innermost first. An extent of 0 is known at run
/// time only; it may only be the outermost.
inline void setDense(Halide::OutputImageParam parameter, const std::vector<int> &extents) {
  int stride = 1;
  for (size_t i = 0; i < extents.size(); ++i) {
    auto dimension = parameter.dim(static_cast<int>(i));
    dimension.set_min(0).set_stride(stride);
    if (extents[i] > 0)
      dimension.set_extent(extents[i]);
    stride *= extents[i];
  }
}

inline Halide::ImageParam denseInput(const std::string &name, const std::vector<int> &extents,
                                     Halide::Type type = Halide::Float(32)) {
  Halide::ImageParam parameter(type, static_cast<int>(extents.size()), name);
  setDense(parameter, extents);
  return parameter;
}

/// Coordinates filled up with zeros. A dense buffer addressed as (inner, row, 0, 0) is a matrix.
inline std::vector<Halide::Expr> padded(std::vector<Halide::Expr> coordinates, size_t dimensions) {
  coordinates.resize(dimensions, 0);
  return coordinates;
}

} // namespace partyline::kernels
