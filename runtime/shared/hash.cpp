//===- hash.cpp -----------------------------------------------------------===//
#include "runtime/shared/hash.h"

#include "runtime/shared/file.h"

#include <algorithm>
#include <memory>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace partyline {

static std::string toHex(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : canonical.digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string hashBytes(const void *bytes, size_t count) { return toHex(XXH3_128bits(bytes, count)); }

void hashBytesBinary(const void *bytes, size_t count, unsigned char *hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count));
  std::copy(std::begin(canonical.digest), std::end(canonical.digest), hash);
}

std::string hashFile(const std::string &path) {
  InputFile file(path);
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t *)> state(XXH3_createState(), XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::vector<char> piece(size_t(1) << 18);
  for (int64_t offset = 0; offset < file.size();) {
    const size_t bytes = size_t(std::min<int64_t>(int64_t(piece.size()), file.size() - offset));
    file.readAt(offset, piece.data(), bytes);
    XXH3_128bits_update(state.get(), piece.data(), bytes);
    offset += int64_t(bytes);
  }
  return toHex(XXH3_128bits_digest(state.get()));
}

bool isHash(const std::string &text) {
  return text.size() == 32 && std::all_of(text.begin(), text.end(), [](char character) {
           return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'f');
         });
}

} // namespace partyline
