//===- hash.h - xxh3-128 of bytes and files -------------------------------===//
//
// Tells files and weights apart; no protection against somebody who wants a collision.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string>

namespace partyline {

/// 32 hex digits, in xxhsum's order.
std::string hashBytes(const void *bytes, size_t count);

/// The same of a file's content. Throws an Error that names the file where it cannot be read.
std::string hashFile(const std::string &path);

/// Whether a string looks like such a hash.
bool isHash(const std::string &text);

/// Bytes of a hash in binary.
inline constexpr size_t kBinaryHashBytes = 16;

/// The hash in binary, canonical (big-endian).
void hashBytesBinary(const void *bytes, size_t count, unsigned char *hash);

} // namespace partyline
