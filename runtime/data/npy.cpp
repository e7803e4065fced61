//===- npy.cpp ------------------------------------------------------------===//
#include "runtime/data/npy.h"

#include "runtime/shared/error.h"
#include "runtime/shared/file.h"
#include "runtime/shared/layout.h"

#include <bit>
#include <cctype>
#include <cstring>

static_assert(std::endian::native == std::endian::little, "arrays are read and written as they lie in memory");

namespace partyline::runtime {

static constexpr char kMagic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};
/// numpy itself trusts no header of more than 10,000 characters.
static constexpr int64_t kLongestHeader = 10000;

int64_t npyTypeSize(NpyType type) {
  switch (type) {
  case NpyType::boolean:
  case NpyType::int8:
  case NpyType::uint8:
    return 1;
  case NpyType::int16:
  case NpyType::uint16:
    return 2;
  case NpyType::int32:
  case NpyType::uint32:
  case NpyType::float32:
    return 4;
  default:
    return 8;
  }
}

namespace {

/// The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (80, 3, 32, 32), }.
/// Exactly these three keys, in any order.
class HeaderParser {
public:
  HeaderParser(const std::string &text, const std::string &path) : text(text), path(path) {}

  NpyHeader parse() {
    expect('{');
    bool hasType = false, hasOrder = false, hasShape = false;
    while (!accept('}')) {
      std::string key = string();
      expect(':');
      if (key == "descr" && !hasType) {
        header.type = typeOf(string());
        hasType = true;
      } else if (key == "fortran_order" && !hasOrder) {
        if (word() == "True")
          throw inputError(path + ": is in Fortran order; save it with numpy.ascontiguousarray(array)");
        hasOrder = true;
      } else if (key == "shape" && !hasShape) {
        header.shape = shape();
        hasShape = true;
      } else {
        fail();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skipSpace();
    if (at != text.size() || !hasType || !hasOrder || !hasShape)
      fail();
    return header;
  }

private:
  [[noreturn]] void fail() { throw inputError(path + ": its header is not that of a numpy array"); }

  void skipSpace() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }

  bool accept(char c) {
    skipSpace();
    if (at == text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }

  void expect(char c) {
    if (!accept(c))
      fail();
  }

  std::string string() {
    skipSpace();
    if (at == text.size() || (text[at] != '\'' && text[at] != '"'))
      fail();
    size_t end = text.find(text[at], at + 1);
    if (end == std::string::npos)
      fail();
    std::string value = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return value;
  }

  std::string word() {
    skipSpace();
    size_t begin = at;
    while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])))
      ++at;
    std::string value = text.substr(begin, at - begin);
    if (value != "True" && value != "False")
      fail();
    return value;
  }

  std::vector<int64_t> shape() {
    std::vector<int64_t> extents;
    expect('(');
    while (!accept(')')) {
      extents.push_back(number());
      if (!accept(',')) {
        if (extents.size() == 1) // (80) is a number in Python, no tuple
          fail();
        expect(')');
        break;
      }
    }
    return extents;
  }

  int64_t number() {
    skipSpace();
    size_t begin = at;
    int64_t value = 0;
    for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); ++at)
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text[at] - '0', &value))
        fail();
    if (at == begin)
      fail();
    return value;
  }

  NpyType typeOf(const std::string &description) {
    static constexpr struct {
      const char *name;
      NpyType type;
    } kTypes[] = {{"b1", NpyType::boolean}, {"i1", NpyType::int8},    {"u1", NpyType::uint8},  {"i2", NpyType::int16},
                  {"u2", NpyType::uint16},  {"i4", NpyType::int32},   {"u4", NpyType::uint32}, {"i8", NpyType::int64},
                  {"u8", NpyType::uint64},  {"f4", NpyType::float32}, {"f8", NpyType::float64}};
    if (description.size() == 3)
      for (const auto &[name, type] : kTypes)
        if (description.compare(1, 2, name) == 0 &&
            (description[0] == '<' || (description[0] == '|' && npyTypeSize(type) == 1)))
          return type;
    throw inputError(path + ": holds elements of type '" + description +
                     "'; little-endian integers, float32 and float64 are read: convert it with array.astype('<f4')");
  }

  const std::string &text;
  const std::string &path;
  size_t at = 0;
  NpyHeader header;
};

} // namespace

NpyHeader readNpyHeader(const std::string &path) {
  InputFile file(path);
  unsigned char start[12] = {};
  if (file.size() < 10)
    throw inputError(path + ": is no .npy file: it is only " + std::to_string(file.size()) + " bytes long");
  file.readAt(0, start, 10);
  if (std::memcmp(start, kMagic, sizeof kMagic) != 0)
    throw inputError(path + ": is no .npy file (it does not begin as one)");
  int version = start[6];
  if (version < 1 || version > 3)
    throw inputError(path + ": is a .npy file of version " + std::to_string(version) + "; versions 1 to 3 are read");
  int64_t begin = version == 1 ? 10 : 12;
  if (version != 1)
    file.readAt(8, start + 8, 4);
  int64_t length = start[8] | start[9] << 8;
  if (version != 1)
    length |= int64_t(start[10]) << 16 | int64_t(start[11]) << 24;
  if (length > kLongestHeader)
    throw inputError(path + ": has a header of " + std::to_string(length) + " bytes: it is damaged");
  if (begin + length > file.size())
    throw inputError(path + ": ends inside its header: it is truncated");
  std::string text(length, '\0');
  file.readAt(begin, text.data(), length);

  NpyHeader header = HeaderParser(text, path).parse();
  header.dataOffset = begin + length;
  int64_t bytes = npyTypeSize(header.type);
  bool overflow = false;
  for (int64_t extent : header.shape)
    overflow |= __builtin_mul_overflow(bytes, extent, &bytes);
  if (overflow || bytes != file.size() - header.dataOffset)
    throw inputError(path + ": does not hold as many bytes as its header says (" +
                     std::to_string(file.size() - header.dataOffset) + "): it is truncated or damaged");
  header.elements = bytes / npyTypeSize(header.type);
  return header;
}

void writeNpy(const std::string &path, const std::vector<int64_t> &shape, const float *values) {
  std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (int64_t extent : shape)
    dictionary += std::to_string(extent) + ", ";
  if (shape.size() > 1)
    dictionary.resize(dictionary.size() - 2);
  dictionary += "), }";
  // The data begins at a multiple of 64 bytes; the header ends in a newline.
  size_t length = (10 + dictionary.size() + 1 + 63) / 64 * 64 - 10;
  dictionary.resize(length - 1, ' ');
  dictionary += '\n';

  const unsigned char start[] = {1, 0, static_cast<unsigned char>(length & 255),
                                 static_cast<unsigned char>(length >> 8)};
  AtomicFile file(path);
  file.write(kMagic, sizeof kMagic);
  file.write(start, sizeof start);
  file.write(dictionary.data(), dictionary.size());
  file.write(values, elementCount(shape) * sizeof(float));
  file.commit();
}

} // namespace partyline::runtime
