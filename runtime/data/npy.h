//===- npy.h - numpy's array files ----------------------------------------===//
//
// Reads versions 1 to 3, little-endian numbers in C order; writes float32. The format is described in numpy's
// documentation, numpy.lib.format.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace partyline::runtime {

enum class NpyType { boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

/// Bytes of one element.
int64_t npyTypeSize(NpyType type);

/// What the header says, checked against the size of the file.
struct NpyHeader {
  NpyType type = NpyType::float32;
  std::vector<int64_t> shape;
  int64_t elements = 0;
  int64_t dataOffset = 0; ///< bytes from the start of the file
};

/// Throws an Error naming the file where it is no .npy file, is truncated, or is in a form that is not read.
NpyHeader readNpyHeader(const std::string &path);

/// Writes a float32 array in C order, beside and renamed.
void writeNpy(const std::string &path, const std::vector<int64_t> &shape, const float *values);

} // namespace partyline::runtime
