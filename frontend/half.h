//===- frontend/half.h - 16-bit floats to and from float ------------------===//
//
// IEEE half precision and bfloat16 as bits. To 16 bits they round to the nearest, ties to even.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace partyline {

inline float halfToFloat(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 31u, fraction = bits & 1023u;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) // subnormal: a multiple of 2^-24
    return std::copysign(static_cast<float>(fraction) * 0x1p-24f, std::bit_cast<float>(sign));
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

inline float bfloat16ToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

/// Drops the low `count` bits of `bits`, rounded to the nearest, ties to even.
inline uint32_t roundBits(uint32_t bits, int count) {
  const uint32_t half = (1u << (count - 1)) - 1;
  return (bits + half + ((bits >> count) & 1u)) >> count;
}

inline uint16_t floatToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) // rounds to 65536 or more
    return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) // below 2^-14: adding 0.5 leaves the multiple of 2^-24 in the low bits
    return static_cast<uint16_t>(sign |
                                 (std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u));
  return static_cast<uint16_t>(sign | (roundBits(magnitude, 13) - (112u << 10)));
}

inline uint16_t floatToBfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>(roundBits(bits, 16));
}

} // namespace partyline
