//===- models/figures.h - what a network holds and does -------------------===//
#pragma once

#include <cstdint>

namespace partyline::models {

struct Figures {
  int64_t parameters = 0;   ///< trained
  int64_t state = 0;        ///< BatchNorm's running means and variances
  int64_t multiplyAdds = 0; ///< of convolutions and matrix products, in the forward pass of one image

  /// Of all of these, as float32.
  int64_t bytes() const { return (parameters + state) * int64_t{sizeof(float)}; }
};

} // namespace partyline::models
